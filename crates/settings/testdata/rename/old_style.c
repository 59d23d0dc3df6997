typedef long number;
int add(left, right, more)
  int left;
  number right, more;
{
  return left + (int)right + (int)more;
}
