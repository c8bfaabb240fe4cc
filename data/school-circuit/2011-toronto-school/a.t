Otter Bend A           0+0+0 2 6 13 14 15 8 9; 540 436 422 342 510 400 371; board 1 3 4 3 4 2 4; grade 7/6; grade1 7; grade2 6; p12 1 2 1 2 1 2 2
St. Brannock A         0+0+0 1 15 4 13 6 9 10; 496 440 277 519 272 422 281; board 1 6 3 5 3 6 7; grade 7/6; grade1 7; grade2 6; p12 2 1 2 2 1 1 1
Fiddlehead Park A      0+0+0 14 10 9 7 5 12 0; 405 331 466 422 347 322 50; board 5 7 5 4 6 7 0; grade 5/4; grade1 5; grade2 4; p12 1 1 2 2 2 1 0
St. Brannock B         0+0+0 0 14 2 5 8 6 7; 50 429 418 476 459 236 524; board 0 2 3 2 1 1 3; grade 5/6; grade1 5; grade2 6; p12 0 2 1 1 2 2 1
St. Brannock C         0+0+0 9 0 12 4 3 7 6; 306 50 549 303 447 391 443; board 2 0 6 2 6 3 1; grade 7/4; grade1 7; grade2 4; p12 2 0 1 2 1 1 2
Fiddlehead Park B      0+0+0 15 1 14 8 2 4 5; 443 442 367 365 461 436 521; board 4 3 2 1 3 1 1; grade 7/7; grade1 7; grade2 7; p12 2 1 2 1 2 1 1
Copper Kettle Road A   0+0+0 11 12 8 3 14 5 4; 424 460 328 568 404 310 464; board 7 4 1 4 2 3 3; grade 7/5; grade1 7; grade2 5; p12 1 2 2 1 1 2 2
Copper Kettle Road B   0+0+0 10 9 7 6 4 1 11; 597 424 462 397 366 455 410; board 6 1 1 1 1 2 2; grade 7/7; grade1 7; grade2 7; p12 2 1 1 2 1 1 2
École des Brumes       0+0+0 5 8 3 12 11 2 1; 410 247 384 503 261 427 368; board 2 1 5 7 5 6 4; grade 4; grade1 4; p12 1 2 1 2 2 2 1
Quarry Lane            0+0+0 8 3 11 15 13 0 2; 329 299 472 215 341 50 327; board 6 7 7 6 7 0 7; grade 5/4; grade1 5; grade2 4; p12 1 2 1 2 1 0 2
Otter Bend B           0+0+0 7 13 10 0 9 14 8; 419 409 443 50 636 463 374; board 7 5 7 0 5 4 2; grade 8/6; grade1 8; grade2 6; p12 2 1 2 0 1 1 1
Fiddlehead Park C      0+0+0 13 7 5 9 0 3 15; 397 253 356 346 50 377 357; board 3 4 6 7 0 7 6; grade 4/5; grade1 4; grade2 5; p12 2 1 2 1 0 2 2
Northmarsh A           0+0+0 12 11 1 2 10 15 14; 396 415 332 398 456 407 383; board 3 5 4 5 7 5 5; grade 4/5; grade1 4; grade2 5; p12 1 2 2 1 2 1 2
Northmarsh B           0+0+0 3 4 6 1 7 11 13; 474 441 349 372 401 385 387; board 5 2 2 3 2 4 5; grade 7/4; grade1 7; grade2 4; p12 2 1 1 1 2 2 1
Otter Bend C           0+0+0 6 2 0 10 1 13 12; 401 335 50 420 394 343 427; board 4 6 0 6 4 5 6; grade 6; grade1 6; p12 1 2 0 1 2 2 1
