/** The order of UTF-8 bytes, which is the order of code points. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a === b) continue;
    // A surrogate belongs to a code point over U+FFFF, which comes after all others.
    const isSurrogateA = a >= 0xd800 && a <= 0xdfff;
    const isSurrogateB = b >= 0xd800 && b <= 0xdfff;
    if (isSurrogateA !== isSurrogateB) return isSurrogateA ? 1 : -1;
    return a - b;
  }
  return left.length - right.length;
}
