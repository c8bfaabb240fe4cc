Longleaf Hollow C   0+0+0 11 3 9 5 4 10 0; 417 367 452 449 384 327 50; board 4 2 4 3 2 3 0; grade 8/5; grade1 8; grade2 5; p12 1 2 1 1 2 2 0
Mulberry Fork A     0+0+0 10 11 0 3 7 8 9; 349 419 50 330 527 309 322; board 3 5 0 4 5 4 5; grade 7; grade1 7; p12 2 2 0 1 1 1 2
Sandhopper Cove B   0+0+0 0 1 4 2 9 6 10; 50 426 326 437 409 444 400; board 0 2 1 4 3 2 1; grade 6/8; grade1 6; grade2 8; p12 0 1 2 2 1 1 1
Pinedrift B         0+0+0 8 10 3 6 1 5 7; 373 500 494 347 414 341 378; board 1 1 1 1 2 1 3; grade 8/5; grade1 8; grade2 5; p12 1 2 1 2 1 2 2
Graycliff C         0+0+0 6 7 10 1 8 4 11; 403 465 327 442 408 540 453; board 2 4 3 3 4 1 4; grade 8/7; grade1 8; grade2 7; p12 2 1 1 2 1 1 2
Blue Heron B        0+0+0 5 9 11 4 10 3 8; 405 493 441 406 301 433 381; board 2 3 2 1 1 2 2; grade 8/7; grade1 8; grade2 7; p12 1 2 1 1 2 2 2
Camellia Row A      0+0+0 9 5 8 0 2 11 4; 353 409 321 50 395 392 403; board 5 4 5 0 5 5 3; grade 7/5; grade1 7; grade2 5; p12 1 2 2 0 2 2 1
Mulberry Fork B     0+0+0 4 0 7 10 5 2 6; 271 50 391 399 275 454 421; board 1 0 5 2 4 4 2; grade 8; grade1 8; p12 2 0 1 1 2 2 1
Camellia Row B      0+0+0 7 6 1 11 3 0 2; 368 427 446 522 366 50 527; board 5 3 4 5 3 0 5; grade 8/6; grade1 8; grade2 6; p12 2 1 2 1 2 0 1
Blue Heron C        0+0+0 2 4 5 8 6 1 3; 559 402 370 412 402 456 527; board 3 1 3 2 1 3 1; grade 8; grade1 8; p12 1 1 2 2 1 1 2
Mulberry Fork C     0+0+0 1 2 6 9 0 7 5; 378 470 259 332 50 352 360; board 4 5 2 5 0 5 4; grade 4/8; grade1 4; grade2 8; p12 2 1 2 2 0 1 1
