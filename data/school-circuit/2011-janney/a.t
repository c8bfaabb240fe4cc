Rowanfield A           0+0+0 0 9 11 13 4 10; 50 362 326 302 437 367; board 0 3 4 4 6 5; grade 5; grade1 5
Juniper Walk A         0+0+0 9 7 0 4 12 6; 412 290 50 388 414 329; board 2 4 0 6 5 4; grade 5/5; grade1 5; grade2 5
Juniper Walk B         0+0+0 4 8 7 5 13 11; 475 421 419 366 399 446; board 6 1 1 1 1 1; grade 8/5; grade1 8; grade2 5
Magpie Court A         0+0+0 3 0 13 2 1 12; 246 50 374 338 377 400; board 6 0 5 6 6 6; grade 5; grade1 5
Three Bridges A        0+0+0 12 6 9 3 8 7; 455 470 419 332 510 419; board 4 2 2 1 2 2; grade 7/6; grade1 7; grade2 6
Three Bridges B        0+0+0 13 5 8 10 7 2; 447 377 374 484 377 373; board 3 2 3 5 3 4; grade 6/8; grade1 6; grade2 8
Bellfounder Street A   0+0+0 10 2 3 11 6 5; 363 506 274 303 431 260; board 1 4 1 3 3 2; grade 8/7; grade1 8; grade2 7
Bellfounder Street B   0+0+0 11 3 6 9 5 13; 513 394 444 460 388 403; board 5 1 3 2 2 3; grade 8/5; grade1 8; grade2 5
Hollin Mount           0+0+0 2 1 5 8 11 0; 450 464 381 347 359 50; board 2 3 2 2 4 0; grade 8/8; grade1 8; grade2 8
Rowanfield B           0+0+0 7 13 12 6 0 1; 351 393 432 345 50 414; board 1 5 6 5 0 5; grade 4/6; grade1 4; grade2 6
Old Tannery            0+0+0 8 12 1 7 9 3; 364 454 443 300 391 527; board 5 6 4 3 4 1; grade 8/5; grade1 8; grade2 5
Westering              0+0+0 5 11 10 0 2 4; 352 327 359 50 275 415; board 4 6 6 0 5 6; grade 4; grade1 4
Magpie Court B         0+0+0 6 10 4 1 3 8; 347 403 435 543 326 407; board 3 5 5 4 1 3; grade 6/6; grade1 6; grade2 6
