Hollin Mount A         0+0+0 4 12 8 13 6 0; 327 298 530 394 334 50; board 4 6 8 6 7 0; grade 5/4; grade1 5; grade2 4; p12 1 1 2 2 2 0
Hollin Mount B         0+0+0 7 13 3 12 16 14; 509 449 404 391 364 455; board 7 1 1 2 1 1; grade 8/8; grade1 8; grade2 8; p12 2 1 2 2 1 1
Three Bridges A        0+0+0 9 14 2 16 7 10; 491 457 454 424 345 491; board 8 2 1 1 2 3; grade 6/8; grade1 6; grade2 8; p12 2 2 1 1 1 2
Old Tannery A          0+0+0 1 15 16 10 14 6; 395 447 389 413 384 372; board 4 3 2 4 3 5; grade 8/5; grade1 8; grade2 5; p12 2 1 1 2 2 1
Hollin Mount C         0+0+0 6 16 14 9 13 15; 510 294 358 458 321 397; board 3 4 6 7 5 6; grade 6/5; grade1 6; grade2 5; p12 1 2 2 1 1 2
Magpie Court A         0+0+0 5 11 12 15 1 4; 456 497 361 427 539 366; board 3 5 3 5 7 5; grade 6/6; grade1 6; grade2 6; p12 2 1 1 2 1 2
Bellfounder Street A   0+0+0 2 8 15 14 3 16; 408 509 461 453 442 436; board 7 8 4 3 2 2; grade 8/7; grade1 8; grade2 7; p12 1 1 2 1 2 2
Rowanfield             0+0+0 13 7 1 0 12 9; 311 346 354 50 296 348; board 5 8 8 0 6 7; grade 5; grade1 5; p12 1 2 1 0 2 1
Juniper Walk           0+0+0 3 10 11 5 0 8; 422 320 411 318 50 332; board 8 7 7 7 0 7; grade 5/5; grade1 5; grade2 5; p12 1 1 2 2 0 2
Old Tannery B          0+0+0 14 9 13 4 15 3; 424 416 399 399 440 347; board 6 7 5 4 4 3; grade 5/5; grade1 5; grade2 5; p12 1 2 2 1 1 1
Westering              0+0+0 16 6 9 0 0 0; 348 371 357 -50 -50 -50; board 1 5 7 0 0 0; grade 4; grade1 4; off -50; p12 2 2 1 0 0 0
Bellfounder Street B   0+0+0 15 1 6 2 8 13; 311 420 398 229 384 393; board 2 6 3 2 6 4; grade 4/7; grade1 4; grade2 7; p12 1 2 2 1 1 2
Magpie Court B         0+0+0 8 2 10 1 5 12; 511 265 376 416 383 392; board 5 1 5 6 5 4; grade 5; grade1 5; p12 2 2 1 1 2 1
Bellfounder Street C   0+0+0 10 3 5 7 4 2; 517 341 439 442 423 545; board 6 2 6 3 3 1; grade 8/5; grade1 8; grade2 5; p12 2 1 1 2 1 2
Three Bridges B        0+0+0 12 4 7 6 10 5; 370 441 403 431 388 393; board 2 3 4 5 4 6; grade 5/5; grade1 5; grade2 5; p12 2 2 1 1 2 1
Three Bridges C        0+0+0 11 5 4 3 2 7; 367 449 431 509 319 447; board 1 4 2 1 1 2; grade 7/6; grade1 7; grade2 6; p12 1 1 2 2 2 1
