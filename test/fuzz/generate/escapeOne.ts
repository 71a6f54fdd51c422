import type { Random } from '../../support/random';

/** A string with one of its characters written as an escape, which JSON treats as equal. */
export function escapeOne(token: string, random: Random): string {
  if (token.length < 3 || !token.startsWith('"')) return token;
  const at = 1 + random.below(token.length - 2);
  const character = token.charAt(at);
  // An escape or a multi-byte character must not be split.
  const isPlain = /[ !#-[\]-~]/.test(character) && !/\\(?:u.{0,3})?$/.test(token.slice(0, at));
  return isPlain ? token.slice(0, at) + escape(character) + token.slice(at + 1) : token;
}

export function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
