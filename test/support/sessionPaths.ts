const REST = '-0000-4000-8000-000000000000';

/** Tests write `-a/1.jsonl` for `-a/00000001-0000-4000-8000-000000000000.jsonl`: only such files are sessions. */
export function fullPath(path: string): string {
  return path.replace(/(?<![^/\\])\d{1,8}(?=\.jsonl|[/\\]|$)/g, (number) => number.padStart(8, '0') + REST);
}

/** The reverse of `fullPath`. */
export function shortPath(path: string): string {
  return path.replace(/0*(\d+)-0000-4000-8000-000000000000/g, '$1');
}
