import { hostileLinks } from './hostile/hostileLinks';
import { hostileMarkup } from './hostile/hostileMarkup';
import type { HostileRow } from './hostile/hostileRow';
import { hostileShapes } from './hostile/hostileShapes';
import { hostileSizes } from './hostile/hostileSizes';
import { hostileTerminal } from './hostile/hostileTerminal';

/** All known attacks on programs that display foreign text. */
export const hostileRows: readonly HostileRow[] = [
  ...hostileMarkup,
  ...hostileLinks,
  ...hostileShapes,
  ...hostileTerminal,
  ...hostileSizes,
];
