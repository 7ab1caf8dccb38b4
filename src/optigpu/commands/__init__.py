"""What the commands of the command line do. All but `bench` and `doctor`, which need the runtime alone."""
