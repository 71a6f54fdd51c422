import { performance } from 'node:perf_hooks';
import { filterChoices } from '../../../src/extension/sessions/filterChoices';
import { ProjectNodes } from '../../../src/extension/sessions/projectNodes';
import { sessionAppearance } from '../../../src/extension/sessions/sessionAppearance';
import { SessionFilter } from '../../../src/extension/sessions/sessionFilter';
import { SessionOrder } from '../../../src/extension/sessions/sessionOrder';
import type { TreeNode } from '../../../src/extension/sessions/treeNode';
import { createFormats } from '../../../src/extension/text/formats';
import type { Translate } from '../../../src/extension/text/translate';
import type { ProjectSummary, SessionsSnapshot, SessionSummary } from '../../../src/protocol/channels/sessions';
import type { BenchCase } from '../context';
import { judge } from '../goal';
import { spreadOf } from '../rounds';

const PROJECTS = 200;
const SESSIONS_OF_PROJECT = 50;
const TYPED = 'mend the login form of the harbour';
const ROUNDS = 6;
const NOW_MS = Date.UTC(2026, 10, 1);

const t: Translate = (message, ...args) =>
  message.replace(/\{(\d+)\}/g, (_whole, index: string) => String(args[Number(index)]));
const formats = createFormats('en', t);

interface Spent {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** What the extension does between a letter that is typed into the filter of the tree and the items that VS Code asks for. */
export const treeFilter: BenchCase = ({ log }) => {
  log('The tree filtered by each letter that is typed');
  const typing = (sort: 'activity' | 'size'): readonly Spent[] => {
    const [filter, order, nodes] = [new SessionFilter(), new SessionOrder(), new ProjectNodes()];
    order.set({ sort });
    const snapshot = manySessions();
    nodes.update(snapshot);
    return Array.from(TYPED, (_letter, at) => {
      const startMs = performance.now();
      const cpu = process.cpuUsage();
      filter.set({ text: TYPED.slice(0, at + 1) });
      const filtered = filter.apply(snapshot);
      nodes.update(order.apply(filtered.snapshot, NOW_MS).snapshot, { isSearch: true });
      nodes.children().forEach(show);
      filterChoices(snapshot, filter.value, ['/c'], '/home/p', formats, t);
      const { user, system } = process.cpuUsage(cpu);
      return { wallMs: performance.now() - startMs, cpuMs: (user + system) / 1000 };
    });
  };
  typing('activity');
  const rounds = Array.from({ length: ROUNDS }, (_round, at) => typing(at % 2 === 0 ? 'activity' : 'size'));
  const slowest = (of: keyof Spent) => spreadOf(rounds.map((letters) => Math.max(...letters.map((each) => each[of]))));
  const { median } = spreadOf(rounds.flat().map(({ wallMs }) => wallMs));
  const goal = {
    goal: 'A tree of 10,000 sessions filtered by a letter',
    unit: 'ms',
    atMost: 100,
    stretch: 30,
  } as const;
  const note = `the slowest letter of ${TYPED.length} in each of ${ROUNDS} rounds; half of them take ${median.toFixed(1)} ms or less`;
  // It is always of full size.
  return Promise.resolve([judge(goal, { wall: slowest('wallMs'), processor: slowest('cpuMs') }, true, note)]);
};

/** As VS Code does with the items of an expanded project. */
function show(node: TreeNode): void {
  if (node.kind !== 'project' || !node.isFound) return;
  for (const child of node.children()) {
    if (child.kind === 'session') sessionAppearance(child.session, NOW_MS, formats, t);
  }
}

function manySessions(): SessionsSnapshot {
  const projects = Array.from({ length: PROJECTS }, (_project, at): ProjectSummary => {
    const folder = `/c/projects/-home-p-harbour-${at}`;
    const sessions = Array.from({ length: SESSIONS_OF_PROJECT }, (_session, index) => aSession(folder, at, index));
    return { folder, cwd: `/home/p/harbour-${at}`, inWorkspace: at === 0, sessions };
  });
  return { revision: 1, phase: { kind: 'idle' }, projects, problem: null, isFolderMissing: false };
}

function aSession(folder: string, project: number, index: number): SessionSummary {
  const id = `${String(project).padStart(8, '0')}-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const activityMs = NOW_MS - (project * SESSIONS_OF_PROJECT + index) * 1000;
  return {
    ...{ provider: 'claude', id, path: `${folder}/${id}.jsonl`, parentSessionId: null },
    title: `Mend the login form of the harbour ${project}, number ${index}, as the people there asked for`,
    ...{ health: 'healthy', live: 'not-live', activity: null, doing: null, lastMessageMs: activityMs, activityMs },
    ...{ createdMs: activityMs, bytes: (index * 7919) % 100_000, loads: 28, of: 28, errorCount: 0, warningCount: 0 },
    ...{ isRepairable: false, hasBackup: false },
  };
}
