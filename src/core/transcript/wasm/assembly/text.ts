import { BACKSLASH, QUOTE } from './json';

export const TEXT: i32 = 0;
/** Nothing but white space, as `trim` defines it. */
export const BLANK: i32 = 1;
/** JSON.parse has to decide: an escape, a character that may be white space, or text that the client writes itself. */
export const ODD: i32 = 2;

/** The first bytes of the client's own reply: "No respo". */
const NO_RESPONSE: u64 = 0x6f70736572206f4e;

/** Classifies a string; `at` is the address after its opening quote. */
export function judgeText(at: usize): i32 {
  while (true) {
    const byte = <u32>load<u8>(at);
    if (byte == QUOTE) return BLANK;
    if (byte == 0x20) at++;
    else if (byte == BACKSLASH) {
      switch (load<u8>(at, 1)) {
        case 0x6e: // n
        case 0x74: // t
        case 0x72: // r
        case 0x66: // f
          at += 2;
          break;
        case 0x75: // u
          return ODD;
        default:
          return TEXT;
      }
    } else if (byte >= 0x80) return isMaybeSpace(byte, load<u8>(at, 1)) ? ODD : TEXT;
    else return mayBeOwnReply(at) ? ODD : TEXT;
  }
}

/** Whether the text starts like the client's own reply, or continues with an escape after a part of it. */
function mayBeOwnReply(at: usize): bool {
  for (let index: u64 = 0; index < 8; index++) {
    const byte = <u64>load<u8>(at + <usize>index);
    if (byte != ((NO_RESPONSE >> (index << 3)) & 0xff)) return byte == BACKSLASH;
  }
  return true;
}

/** The first two bytes of U+00A0, U+1680, U+2000 … U+205F, U+3000 and U+FEFF. */
function isMaybeSpace(first: u32, second: u32): bool {
  switch (first) {
    case 0xc2:
      return second == 0xa0;
    case 0xe1:
      return second == 0x9a;
    case 0xe2:
      return second == 0x80 || second == 0x81;
    case 0xe3:
      return second == 0x80;
    case 0xef:
      return second == 0xbb;
    default:
      return false;
  }
}
