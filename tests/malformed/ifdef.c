#ifdef X
int y;
#endif
