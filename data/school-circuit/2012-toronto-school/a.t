Fiddlehead Park A      0+0+0 10 6 16 2 7 4 8; 219 416 433 286 372 502 506; board 5 7 8 5 7 8 7; grade 6/5; grade1 6; grade2 5; p12 2 1 2 1 1 1 2
St. Brannock A         0+0+0 5 16 9 1 12 7 14; 387 548 441 421 314 474 391; board 3 6 4 5 3 5 4; grade 7/8; grade1 7; grade2 8; p12 1 2 1 2 2 1 2
Otter Bend A           0+0+0 6 15 5 11 8 13 10; 406 373 345 475 448 546 407; board 6 1 3 7 4 4 3; grade 7/7; grade1 7; grade2 7; p12 2 1 2 1 2 1 2
École des Brumes       0+0+0 12 9 8 16 13 1 11; 395 423 366 413 420 425 474; board 1 5 7 8 6 8 8; grade 5; grade1 5; p12 2 1 2 1 1 2 1
Fiddlehead Park B      0+0+0 2 10 3 15 14 12 9; 455 426 497 516 428 365 428; board 3 2 3 1 1 1 2; grade 8/8; grade1 8; grade2 8; p12 2 1 1 2 1 2 1
Northmarsh A           0+0+0 3 1 7 12 9 15 13; 265 426 376 332 381 396 408; board 6 7 6 4 5 2 5; grade 5/6; grade1 5; grade2 6; p12 1 2 1 2 2 1 2
St. Brannock B         0+0+0 0 14 6 8 1 2 16; 50 317 361 373 473 403 441; board 0 3 6 6 7 5 6; grade 7/4; grade1 7; grade2 4; p12 0 1 2 1 2 2 1
Copper Kettle Road A   0+0+0 0 0 4 7 3 16 1; -50 -50 406 402 343 354 382; board 0 0 7 6 4 7 7; grade 4/4; grade1 4; grade2 4; p12 0 0 1 2 1 2 1
Fiddlehead Park C      0+0+0 13 4 2 10 6 11 5; 370 478 494 373 357 443 317; board 4 5 4 2 5 6 2; grade 4/5; grade1 4; grade2 5; p12 1 2 2 1 1 2 2
St. Brannock C         0+0+0 1 5 12 9 15 14 3; 475 426 397 520 309 383 421; board 5 2 2 2 2 3 3; grade 6; grade1 6; p12 1 2 1 2 1 2 1
Quarry Lane            0+0+0 15 0 13 3 16 9 4; 199 50 372 337 483 248 373; board 2 0 5 7 8 6 8; grade 6/5; grade1 6; grade2 5; p12 2 0 1 2 1 1 2
Northmarsh B           0+0+0 4 13 10 6 2 5 15; 409 384 345 488 382 412 318; board 1 4 2 4 3 1 1; grade 5/8; grade1 5; grade2 8; p12 1 2 2 1 1 1 2
Copper Kettle Road B   0+0+0 9 12 11 14 4 3 6; 385 380 451 241 420 389 464; board 4 4 5 3 6 4 5; grade 8/8; grade1 8; grade2 8; p12 2 1 2 1 2 2 1
Otter Bend B           0+0+0 16 7 15 13 5 10 2; 446 437 399 392 379 366 383; board 7 3 1 3 1 3 4; grade 7/4; grade1 7; grade2 4; p12 1 2 1 2 2 1 1
Otter Bend C           0+0+0 11 3 14 5 10 6 12; 399 427 492 294 340 501 472; board 2 1 1 1 2 2 1; grade 5/8; grade1 5; grade2 8; p12 1 2 2 1 2 2 1
Copper Kettle Road C   0+0+0 14 2 1 4 11 8 7; 402 342 356 284 371 548 482; board 7 6 8 8 8 7 6; grade 8/6; grade1 8; grade2 6; p12 2 1 1 2 2 1 2
