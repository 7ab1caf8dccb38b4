__DEF(square, "fun x -> x * x");
