import type { Finding } from '../../../protocol/repair';
import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { NO_ID } from '../../transcript/idTable';
import { MAX_LISTED_LINES } from '../../transcript/transcriptIndex';
import { countOf } from '../../util/countOf';
import { type LinkCheck, rowFinding } from '../check';
import { isOfConversation, type UnloadedBranch, unloadedBranches } from '../unloadedBranches';

/**
 * `concurrent-writers`: two clients had the session open at the same time. Neither sees what the other writes, so the conversation
 * splits, and their messages alternate in the file; the client loads the one that wrote last. After a rewind, all messages of the
 * branch that was left come before those of the other. (docs/format.md, "Live processes")
 */
export const concurrentWriters: LinkCheck = {
  kind: 'links',
  code: 'concurrent-writers',
  weighsCost: true,
  // The conversation that loads may go on behind a branch that was written after its last message.
  mayFindMore: (loaded) => conversationsBeside(loaded).some(({ order }) => order === 'branch last'),
  find(loaded): Finding[] {
    const branches = findInterleaved(loaded);
    if (branches.length === 0) return [];
    const { rows } = loaded.index;
    const tips = branches.map(({ tip }) => rows.line(tip));
    const lines = tips.join(', ');
    const [what, them] =
      branches.length === 1
        ? [`the conversation that ends on line ${lines}`, 'it']
        : [`those that end on lines ${lines}`, 'them'];
    const message = `Two clients wrote into this session at the same time: their ${countOf(branches.length + 1, 'conversation')} alternate in the file, and Claude remembers one of them, but not ${what}. Fork the session there to go on with ${them}.`;
    const found = rowFinding(
      loaded.index,
      branches.flatMap(({ first, tip }) => (first === tip ? [tip] : [first, tip])),
      { code: 'concurrent-writers', severity: 'info', action: 'tell', message },
    );
    return [{ ...found, offer: { kind: 'fork-branch', lines: tips.slice(0, MAX_LISTED_LINES) } }];
  },
};

/** The branches that were written while the conversation that loads went on. */
function findInterleaved(loaded: LoadedTranscript): readonly UnloadedBranch[] {
  return conversationsBeside(loaded).flatMap(({ branch, order }) => (order === 'alternate' ? [branch] : []));
}

interface Beside {
  readonly branch: UnloadedBranch;
  /** How the messages of the conversation that loads, from the fork on, and those of the branch follow each other in the file. */
  readonly order: 'alternate' | 'branch last' | 'branch first';
}

/** Linear in the rows, also for a session with many branches. */
function conversationsBeside(loaded: LoadedTranscript): readonly Beside[] {
  const { index, summary } = loaded;
  if (index.straight !== null || summary.missingLines.length === 0) return [];
  const { history } = loaded;
  const branches = unloadedBranches(loaded).filter(({ hasPrompt, hasReply }) => hasPrompt && hasReply);
  if (branches.length === 0) return [];
  /** Place in the history → the first and the last row in the file of the messages from there on. */
  const firstFrom = new Float64Array(history.length + 1).fill(Infinity);
  const lastFrom = new Float64Array(history.length + 1).fill(-Infinity);
  for (let place = history.length - 1; place >= 0; place--) {
    const row = history[place] ?? NO_ID;
    const isMessage = isOfConversation(index.rows, row);
    firstFrom[place] = Math.min(firstFrom[place + 1] ?? Infinity, isMessage ? row : Infinity);
    lastFrom[place] = Math.max(lastFrom[place + 1] ?? -Infinity, isMessage ? row : -Infinity);
  }
  return branches.map((branch): Beside => {
    const from = branch.forkPlace + 1;
    const isBefore = (firstFrom[from] ?? Infinity) < branch.tip;
    const isBehind = (lastFrom[from] ?? -Infinity) > branch.first;
    return { branch, order: isBefore && isBehind ? 'alternate' : isBefore ? 'branch last' : 'branch first' };
  });
}
