Longhorn Gap A        0+0+0 8 16 10 14 6 7 13 15; 318 391 377 331 395 364 320 315; board 2 8 6 4 5 6 8 6; grade 6/5; grade1 6; grade2 5; p12 1 2 2 1 1 1 1 4
Mesquite Flats A      0+0+0 12 13 3 9 7 4 8 11; 372 449 404 353 411 497 469 410; board 6 5 3 5 6 5 2 1; grade 7/7; grade1 7; grade2 7; p12 2 1 2 1 1 2 2 4
Prickly Pear A        0+0+0 16 8 2 5 4 14 7 12; 532 435 429 374 360 414 373 501; board 8 1 3 2 4 3 4 4; grade 8/7; grade1 8; grade2 7; p12 1 2 1 2 2 1 1 4
Prickly Pear B        0+0+0 14 6 16 10 3 2 9 13; 384 335 403 456 344 288 437 596; board 7 7 8 6 4 5 7 7; grade 7/7; grade1 7; grade2 7; p12 1 2 2 2 1 1 2 4
Armadillo Creek A     0+0+0 6 14 15 3 11 8 12 7; 443 377 463 406 366 404 469 484; board 5 2 4 2 1 2 3 2; grade 7/4; grade1 7; grade2 4; p12 2 2 1 1 1 2 2 4
Longhorn Gap B        0+0+0 5 4 7 12 1 9 11 8; 358 367 522 355 397 452 306 558; board 5 7 5 3 5 4 1 3; grade 8/4; grade1 8; grade2 4; p12 1 1 2 1 2 2 2 4
Bluestem A            0+0+0 13 12 6 15 2 1 3 5; 391 282 404 407 398 539 390 311; board 3 4 5 7 6 6 4 2; grade 7/4; grade1 7; grade2 4; p12 1 1 1 2 2 2 2 4
Bluestem B            0+0+0 1 3 12 11 14 5 2 6; 425 473 427 371 338 419 405 330; board 2 1 2 1 2 2 2 3; grade 4/5; grade1 4; grade2 5; p12 2 1 2 2 1 1 1 4
Mesquite Flats B      0+0+0 10 15 13 2 12 6 4 16; 397 375 465 420 409 351 397 405; board 1 6 7 5 3 4 7 8; grade 8/6; grade1 8; grade2 6; p12 1 2 2 2 1 1 1 4
Longhorn Gap C        0+0+0 9 11 1 4 13 16 15 14; 438 334 341 277 520 436 494 315; board 1 3 6 6 8 7 5 5; grade 6/6; grade1 6; grade2 6; p12 2 2 1 1 2 1 2 4
Bluestem C            0+0+0 15 10 14 8 5 12 6 2; 477 441 411 406 357 475 377 393; board 4 3 1 1 1 1 1 1; grade 6/6; grade1 6; grade2 6; p12 2 1 2 1 2 1 1 4
Prickly Pear C        0+0+0 2 7 8 6 9 11 5 3; 382 344 423 366 464 414 395 408; board 6 4 2 3 3 1 3 4; grade 6/6; grade1 6; grade2 6; p12 1 2 1 2 2 2 1 4
Windmill Crossing A   0+0+0 7 2 9 16 10 15 1 4; 355 393 325 420 371 241 446 243; board 3 5 7 8 8 8 8 7; grade 6; grade1 6; p12 2 2 1 1 1 1 2 4
Windmill Crossing B   0+0+0 4 5 11 1 8 3 16 10; 446 458 260 466 275 367 432 546; board 7 2 1 4 2 3 6 5; grade 6/7; grade1 6; grade2 7; p12 2 1 1 2 2 2 1 4
Armadillo Creek B     0+0+0 11 9 5 7 16 13 10 1; 422 415 341 310 403 451 481 558; board 4 6 4 7 7 8 5 6; grade 4/5; grade1 4; grade2 5; p12 1 1 2 1 2 2 1 4
Cottonwood Spur       0+0+0 3 1 4 13 15 10 14 9; 247 377 377 449 335 405 359 357; board 8 8 8 8 7 7 6 8; grade 4; grade1 4; p12 2 1 1 2 1 2 2 4
