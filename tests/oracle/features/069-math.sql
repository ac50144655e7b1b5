SELECT acos(0.5), asin(0.5), atan(1), atan2(1,2), cos(1), sin(1), tan(1), acosh(2), asinh(1), atanh(0.5), cosh(1), sinh(1), tanh(1)

SELECT exp(1), ln(2), log(100), log(2,8), log10(1000), log2(8), pow(2,10), power(2,0.5), sqrt(2), sqrt(-1), mod(7,3), mod(-7,3), mod(7.5,2), pi(), degrees(pi()), radians(180)

SELECT ln(0), ln(-1), log(0), acos(2), pow(0,-1), mod(1,0), sqrt('x'), sin(NULL), cos('1'), exp(1000), log(1,5), log(-2,4)

SELECT typeof(pow(2,2)), typeof(mod(7,3)), typeof(sqrt(4)), floor(-0.5), ceil(-0.5)

SELECT pi(1)

SELECT log(1,2,3)
