"""Listing 2.4: fission of a loop with a contract. The proof says what holds between `f` and `g`: this is the contract between the loops."""

import optigpu as og
from optigpu import Call

RESULT = "listing_2_4_after.c"

s = og.Script("listing_2_4_before.c", function="fg")
s.loop.fission(before=Call("g"))
