import type { JSX } from 'preact';
import type { LineCounts, ToolBlock } from '../../../protocol/conversation';
import { toolName } from '../../../protocol/tools';
import { VisibleText } from '../parts/VisibleText';

const MAX_NAME_CHARS = 120;

/** The name of a tool as it is shown. */
export function shownName({ name }: ToolBlock): string {
  return toolName(name).slice(0, MAX_NAME_CHARS);
}

/** Several calls in a line: `Grep, Read ×3`, and the lines that they changed. */
export function CallsLine({ calls }: { calls: readonly ToolBlock[] }): JSX.Element {
  return (
    <>
      <span class="block-calls" data-unsearched>
        <VisibleText text={namesOf(calls)} />
      </span>
      <ChangedLines calls={calls} />
    </>
  );
}

/** The names in the order in which they first occur. */
function namesOf(calls: readonly ToolBlock[]): string {
  const counts = new Map<string, number>();
  for (const call of calls) counts.set(shownName(call), (counts.get(shownName(call)) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(', ');
}

/** `+3 −1`, without a side that is 0; nothing if no call says how many lines it changed. */
export function ChangedLines({ calls }: { calls: readonly ToolBlock[] }): JSX.Element | null {
  const all = calls.flatMap((call) => linesChangedBy(call) ?? []);
  if (all.length === 0) return null;
  const sum = (side: keyof LineCounts): number => all.reduce((total, counts) => total + counts[side], 0);
  const [added, removed] = [sum('added'), sum('removed')];
  const said = [added > 0 ? `+${added}` : '', removed > 0 ? `−${removed}` : ''].filter((part) => part !== '');
  return (
    <span class="block-changed-lines" data-unsearched dir="ltr">
      {said.join(' ')}
    </span>
  );
}

function linesChangedBy({ input }: ToolBlock): LineCounts | null {
  switch (input.kind) {
    case 'diff':
      return input.counts ?? null;
    case 'write': {
      const { text, more } = input.content;
      return more > 0 ? null : { added: text.replace(/\n$/, '').split('\n').length, removed: 0 };
    }
    case 'bash':
    case 'read':
    case 'search':
    case 'web':
    case 'agent':
    case 'todos':
    case 'json':
      return null;
  }
}
