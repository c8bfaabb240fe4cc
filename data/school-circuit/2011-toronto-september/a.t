Quarry Lane            0+0+0 3 2 5 6 7 9; 295 340 323 278 402 403; board 6 6 6 6 6 5; grade 5/6; grade1 5; grade2 6; p12 2 1 1 2 2 1
École des Brumes       0+0+0 11 1 10 7 12 5; 337 420 198 452 347 453; board 3 6 4 5 4 6; grade 5; grade1 5; p12 2 2 1 1 1 2
Fiddlehead Park A      0+0+0 1 11 12 4 8 6; 547 331 508 376 488 398; board 6 1 2 2 2 3; grade 8/8; grade1 8; grade2 8; p12 1 1 2 2 2 1
Otter Bend A           0+0+0 6 9 7 3 11 10; 325 448 553 415 384 376; board 2 4 3 2 1 1; grade 7/7; grade1 7; grade2 7; p12 2 1 2 1 1 2
Otter Bend B           0+0+0 12 7 1 9 6 2; 404 376 498 310 386 443; board 5 5 6 4 5 6; grade 5/8; grade1 5; grade2 8; p12 1 2 2 1 1 1
Northmarsh A           0+0+0 4 8 9 1 5 3; 349 376 305 392 420 361; board 2 3 5 6 5 3; grade 5/6; grade1 5; grade2 6; p12 1 2 2 1 2 2
Copper Kettle Road A   0+0+0 10 5 4 2 1 8; 339 441 301 320 376 309; board 4 5 3 5 6 4; grade 8/6; grade1 8; grade2 6; p12 2 1 1 2 1 1
Fiddlehead Park B      0+0+0 9 6 11 12 3 7; 418 565 384 405 376 482; board 1 3 1 3 2 4; grade 4/5; grade1 4; grade2 5; p12 2 1 2 1 1 2
St. Brannock A         0+0+0 8 4 6 5 10 1; 362 398 532 465 394 475; board 1 4 5 4 3 5; grade 6/7; grade1 6; grade2 7; p12 1 2 1 2 1 2
Northmarsh B           0+0+0 7 12 2 11 9 4; 396 318 487 269 431 443; board 4 2 4 1 3 1; grade 5/8; grade1 5; grade2 8; p12 1 2 2 1 2 1
St. Brannock B         0+0+0 2 3 8 10 4 12; 450 432 462 331 365 391; board 3 1 1 1 1 2; grade 7/8; grade1 7; grade2 8; p12 1 2 1 2 2 1
Copper Kettle Road B   0+0+0 5 10 3 8 2 11; 487 369 379 364 378 374; board 5 2 2 3 4 2; grade 8/8; grade1 8; grade2 8; p12 2 1 1 2 2 2
