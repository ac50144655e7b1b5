SELECT iif(1,'a','b'), iif(NULL,'a','b'), iif(0,'a'), if(1,'x','y'), iif(0,1,1,2,3), iif(0,1,0,2), iif('0.0',1,2)

SELECT iif(1)

SELECT iif()

SELECT if(0,1,0,2,0,3,'last')
