Graycliff A         0+0+0 6 8 4 7 9 10 2; 403 466 429 396 324 418 414; board 1 2 1 2 3 4 5; grade 5; grade1 5; p12 1 2 1 1 2 2 2
Longleaf Hollow A   0+0+0 4 10 9 3 5 6 1; 354 489 478 341 360 457 352; board 4 5 3 3 4 5 5; grade 4; grade1 4; p12 2 1 2 1 2 1 1
Tidewrack A         0+0+0 9 5 7 2 4 8 10; 359 427 321 500 278 350 319; board 3 3 2 3 2 2 3; grade 4; grade1 4; p12 1 2 1 2 1 1 2
Sandhopper Cove A   0+0+0 2 7 1 8 3 9 5; 565 499 460 459 409 448 382; board 4 1 1 1 2 1 1; grade 6; grade1 6; p12 1 2 2 1 2 1 2
Graycliff B         0+0+0 8 3 10 6 2 7 4; 410 403 336 419 467 384 475; board 5 3 5 5 4 3 1; grade 5/6; grade1 5; grade2 6; p12 2 1 2 1 1 2 1
Tidewrack B         0+0+0 1 9 8 5 10 2 7; 333 359 409 360 402 397 456; board 1 4 4 5 5 5 4; grade 4; grade1 4; p12 2 2 1 2 1 2 1
Pinedrift A         0+0+0 10 4 3 1 8 5 6; 454 439 404 468 367 374 372; board 2 1 2 2 1 3 4; grade 4; grade1 4; p12 1 1 2 2 2 1 2
Tidewrack C         0+0+0 5 1 6 4 7 3 9; 449 295 500 540 473 284 413; board 5 2 4 1 1 2 2; grade 4; grade1 4; p12 1 1 2 2 1 2 1
Longleaf Hollow B   0+0+0 3 6 2 10 1 4 8; 358 439 460 439 421 435 351; board 3 4 3 4 3 1 2; grade 5/5; grade1 5; grade2 5; p12 2 1 1 2 1 2 2
Blue Heron A        0+0+0 7 2 5 9 6 1 3; 355 413 402 374 431 405 452; board 2 5 5 4 5 4 3; grade 6/4; grade1 6; grade2 4; p12 2 2 1 1 2 1 1
