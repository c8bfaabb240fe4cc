Prickly Pear A         0+0+0 ; ; grade 6/6; grade1 6; grade2 6
Sugarbush A            0+0+0 ; ; grade 5/7; grade1 5; grade2 7
Bluestem A             0+0+0 ; ; grade 4/5; grade1 4; grade2 5
Lakeshore Academy A    0+0+0 ; ; grade 8/8; grade1 8; grade2 8
Sandhill Crane A       0+0+0 ; ; grade 5/7; grade1 5; grade2 7
Prairie Rose           0+0+0 ; ; grade 8; grade1 8
Northmarsh A           0+0+0 ; ; grade 5/8; grade1 5; grade2 8
Bluestem B             0+0+0 ; ; grade 7/4; grade1 7; grade2 4
Tidewrack A            0+0+0 ; ; grade 4; grade1 4
Fiddlehead Park A      0+0+0 ; ; grade 4/5; grade1 4; grade2 5
Mill Pond A            0+0+0 ; ; grade 5/7; grade1 5; grade2 7
Westering              0+0+0 ; ; grade 4; grade1 4
Tidewrack B            0+0+0 ; ; grade 4; grade1 4
Lakeshore Academy B    0+0+0 ; ; grade 8/4; grade1 8; grade2 4
Weathervane A          0+0+0 ; ; grade 7/6; grade1 7; grade2 6
Sandhill Crane B       0+0+0 ; ; grade 5; grade1 5
Saltbox Green A        0+0+0 ; ; grade 8/7; grade1 8; grade2 7
Otter Bend A           0+0+0 ; ; grade 5/8; grade1 5; grade2 8
Hollin Mount A         0+0+0 ; ; grade 8/8; grade1 8; grade2 8
Northmarsh B           0+0+0 ; ; grade 5/6; grade1 5; grade2 6
Fiddlehead Park B      0+0+0 ; ; grade 6/5; grade1 6; grade2 5
Weathervane B          0+0+0 ; ; grade 8/4; grade1 8; grade2 4
Sandhill Crane C       0+0+0 ; ; grade 5/7; grade1 5; grade2 7
Saltbox Green B        0+0+0 ; ; grade 5/5; grade1 5; grade2 5
Old Tannery A          0+0+0 ; ; grade 5/4; grade1 5; grade2 4
Sandhopper Cove A      0+0+0 ; ; grade 6; grade1 6
Otter Bend B           0+0+0 ; ; grade 7/4; grade1 7; grade2 4
Limestone Gulch A      0+0+0 ; ; grade 8/6; grade1 8; grade2 6
Sycamore Bottom        0+0+0 ; ; grade 8; grade1 8
Buckeye Union          0+0+0 ; ; grade 5; grade1 5
Prickly Pear B         0+0+0 ; ; grade 7/7; grade1 7; grade2 7
Longhorn Gap A         0+0+0 ; ; grade 6/6; grade1 6; grade2 6
Lakeshore Academy C    0+0+0 ; ; grade 6/5; grade1 6; grade2 5
St. Brannock A         0+0+0 ; ; grade 7/4; grade1 7; grade2 4
Limestone Gulch B      0+0+0 ; ; grade 5; grade1 5
Limestone Gulch C      0+0+0 ; ; grade 5; grade1 5
École des Brumes       0+0+0 ; ; grade 5; grade1 5
Prickly Pear C         0+0+0 ; ; grade 8/7; grade1 8; grade2 7
Camellia Row           0+0+0 ; ; grade 8/6; grade1 8; grade2 6
Hollin Mount B         0+0+0 ; ; grade 5/4; grade1 5; grade2 4
Mill Pond B            0+0+0 ; ; grade 4; grade1 4
Longhorn Gap B         0+0+0 ; ; grade 8/4; grade1 8; grade2 4
Tidewrack C            0+0+0 ; ; grade 4; grade1 4
Bellfounder Street A   0+0+0 ; ; grade 4/7; grade1 4; grade2 7
Pinedrift              0+0+0 ; ; grade 8/5; grade1 8; grade2 5
Sugarbush B            0+0+0 ; ; grade 7/7; grade1 7; grade2 7
Bellfounder Street B   0+0+0 ; ; grade 8/5; grade1 8; grade2 5
St. Brannock B         0+0+0 ; ; grade 6; grade1 6
Sandhopper Cove B      0+0+0 ; ; grade 8/6; grade1 8; grade2 6
Cottonwood Spur        0+0+0 ; ; grade 4; grade1 4
Sugarbush C            0+0+0 ; ; grade 4; grade1 4
Bellfounder Street C   0+0+0 ; ; grade 8/7; grade1 8; grade2 7
Hollin Mount C         0+0+0 ; ; grade 6/5; grade1 6; grade2 5
Old Tannery B          0+0+0 ; ; grade 8/5; grade1 8; grade2 5
Saltbox Green C        0+0+0 ; ; grade 7/8; grade1 7; grade2 8
Old Tannery C          0+0+0 ; ; grade 5/5; grade1 5; grade2 5
