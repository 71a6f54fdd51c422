import { hostileLinks } from './hostile/hostileLinks';
import { hostileMarkup } from './hostile/hostileMarkup';
import type { HostileRow } from './hostile/hostileRow';
import { hostileShapes } from './hostile/hostileShapes';
import { hostileSizes } from './hostile/hostileSizes';
import { hostileTerminal } from './hostile/hostileTerminal';

/** Everything that is known to harm those who show what others wrote. */
export const hostileRows: readonly HostileRow[] = [
  ...hostileMarkup,
  ...hostileLinks,
  ...hostileShapes,
  ...hostileTerminal,
  ...hostileSizes,
];
