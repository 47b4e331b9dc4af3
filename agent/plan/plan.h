/* agent/plan/plan.h: the verb `plan`: compiles a model and says which kernels would run. */
#pragma once

/* argv[1] is the program's path, argv[2], where it is there, that of its external weights. Prints
 * one JSON object, schema sme2lab.plan/1; nothing is executed. Returns an exit code: 0 also where a
 * method does not load, which the object then says; 1 when the file is no program; 2 for the
 * command line. */
int sl_plan_main(int argc, char **argv);
