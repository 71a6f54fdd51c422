import type { Random } from './random';
import { call, chainRow, prompt, reply, result, type RowFields, transcript } from './transcriptBuilder';

/**
 * A healthy session with a Stop hook, in the shapes that 2.1.39 to 2.1.50 write: progress rows of hooks in the chain, the
 * hook's summary below its progress, feedback that lets Claude go on, and rows that are written before their parents.
 */
export function stopHookSession(random: Random): Buffer {
  const rows: RowFields[] = [];
  let tail: string | null = null;
  let number = 0;
  const add = (name: string, row: RowFields): void => {
    rows.push(row);
    tail = name;
  };
  const progress = (event: string, hookCall: string, parent: string | null): void => {
    const name = `h${++number}`;
    const data = { type: 'hook_progress', hookEvent: event, hookName: event, command: './check.sh' };
    add(name, chainRow('progress', name, parent, { data, parentToolUseID: hookCall, toolUseID: hookCall }));
  };
  const stop = (isBlocked: boolean): void => {
    const hookCall = `stop-${++number}`;
    const answered = tail;
    for (let left = 1 + random.below(3); left > 0; left--)
      progress('Stop', hookCall, random.below(3) === 0 ? answered : tail);
    if (isBlocked) {
      const name = `f${++number}`;
      const message = { role: 'user', content: 'Stop hook feedback:\n[./check.sh]: Go on.\n' };
      add(name, chainRow('user', name, tail, { message, isMeta: true }));
    }
    const beside = tail;
    const name = `s${++number}`;
    const summary = {
      subtype: 'stop_hook_summary',
      hookCount: 1,
      hookInfos: [{ command: './check.sh' }],
      hookErrors: [],
    };
    add(name, chainRow('system', name, tail, { ...summary, toolUseID: hookCall }));
    // The next row was sometimes begun before the summary was written.
    if (random.below(4) === 0) tail = beside;
  };
  const answer = (): void => {
    for (let left = random.below(3); left > 0; left--) {
      const [called, found] = [`c${++number}`, `o${number}`];
      add(called, call(called, tail, `toolu_${called}`));
      add(found, result(found, called, `toolu_${called}`));
      if (random.below(2) === 0) progress('PostToolUse', `toolu_${called}`, found);
    }
    const name = `r${++number}`;
    add(name, reply(name, tail));
  };
  for (let turns = 2 + random.below(5); turns > 0; turns--) {
    const name = `p${++number}`;
    add(name, prompt(name, tail));
    answer();
    if (random.below(5) === 0) continue;
    for (let blocked = random.below(3); blocked > 0; blocked--) {
      stop(true);
      answer();
    }
    stop(false);
  }
  for (let at = 1; at < rows.length; at++) {
    // Clients write a reply before its prompt at times, but no row before its progress row.
    const isSwapped = rows[at - 1]?.['type'] === 'user' && rows[at]?.['type'] === 'assistant' && random.below(12) === 0;
    if (isSwapped) rows.splice(at - 1, 2, ...rows.slice(at - 1, at + 1).reverse());
  }
  return transcript(rows);
}
