/** Past so many changes of colour, colours are left out: each would be an element. */
const MAX_COLOUR_CHANGES = 2000;

// CSI, then OSC, DCS, PM, APC and SOS with their text up to BEL or ST, then the other escapes of two or three bytes.
// An OSC that never ends is cut at its line.
export const ESCAPES =
  // eslint-disable-next-line no-control-regex -- They are what is looked for.
  /\u001b\[[0-?]*[ -/]*[@-~]?|\u009b[0-?]*[ -/]*[@-~]?|\u001b[\]PX^_][^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;
// eslint-disable-next-line no-control-regex -- They are what is looked for.
const SGR = /^(?:\u001b\[|\u009b)([\d;:]{0,64})m$/;

/**
 * Terminal output with nothing left but its text and its colours: SGR as `ESC [ … m`. Cursor moves, titles, links and
 * other commands to a terminal go; a line that was overwritten after a carriage return is what it was last.
 */
export function stripControls(text: string): string {
  // eslint-disable-next-line no-control-regex -- They are what is looked for.
  if (!/[\u001b\u009b\r\b]/.test(text)) return text;
  let changes = 0;
  const coloured = text.replace(ESCAPES, (escape) => {
    const parameters = SGR.exec(escape)?.[1];
    if (parameters === undefined) return '';
    changes += 1;
    return changes > MAX_COLOUR_CHANGES ? '' : `\u001b[${parameters.replaceAll(':', ';')}m`;
  });
  return overwritten(coloured);
}

/** A carriage return goes back to the beginning of its line: what came before it is gone when something follows. */
function overwritten(text: string): string {
  if (!/[\r\b]/.test(text)) return text;
  return text
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => {
      const last = line.replace(/\r+$/, '').lastIndexOf('\r');
      return (last === -1 ? line : line.slice(last + 1)).replace(/[\r\b]/g, '');
    })
    .join('\n');
}
