import type { Random } from './random';
import { assistant, call, chainRow, lastPrompt, prompt, reply, result, type RowFields } from './transcriptBuilder';

/** The share of each step among ten. The rest continue the message before them. */
const STEPS = ['call', 'call', 'call', 'result', 'result', 'result', 'result', 'reply', 'prompt', 'note'] as const;

/**
 * A line of rows whose calls and results are in any order: results before their call, behind another message or twice, messages
 * that continue after others, empty replies, and calls without a result. Usually two turns follow in which nothing is odd;
 * otherwise no message continues after another one, because the calls that the client then answers itself are not predicted.
 * (docs/format.md, "Known gaps")
 */
export function randomCalls(random: Random): RowFields[] {
  const isEnding = random.chance(0.7);
  const rows: RowFields[] = [prompt('start', null)];
  let parent = 'start';
  let calls = 0;
  const add = (make: (name: string, parent: string) => RowFields): void => {
    const name = `row${rows.length}`;
    rows.push(make(name, parent));
    parent = name;
  };
  /** A few messages, so that rows of one are often separated. */
  const message = (): string => (isEnding ? `msg_${random.pick(['a', 'b', 'c'])}` : `msg_of_${rows.length}`);
  for (let left = 4 + random.below(10); left > 0; left--) {
    const step = random.pick(STEPS);
    const id = `toolu_${random.below(calls + 2)}`;
    if (step === 'call') {
      const called = random.chance(0.9) ? `toolu_${calls++}` : id;
      add((name, above) => call(name, above, called, { message: message() }));
    } else if (step === 'result') add((name, above) => result(name, above, id));
    else if (step === 'prompt') add((name, above) => prompt(name, above, { isMeta: random.chance(0.2) }));
    else if (step === 'note' && random.chance(0.5)) add((name, above) => assistant(name, above, [], {}, message()));
    else if (step === 'note') add((name, above) => chainRow('system', name, above, { subtype: 'turn_duration' }));
    else add((name, above) => assistant(name, above, [{ type: 'text', text: `reply ${name}` }], {}, message()));
  }
  if (isEnding) {
    for (let turn = 0; turn < 2; turn++) {
      add((name, above) => prompt(name, above));
      add((name, above) => reply(name, above));
    }
  }
  return random.chance(0.5) ? [...rows, lastPrompt(parent)] : rows;
}
