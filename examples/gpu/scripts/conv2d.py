"""A convolution with zeros around the image, for images and filters of any number: a matrix product of filters and windows."""

import optigpu as og
from optigpu.schedules import convolution

s = og.Script("conv2d.c")
convolution(s)
