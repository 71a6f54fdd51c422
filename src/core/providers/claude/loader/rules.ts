import type { ClientInfo, ClientLimit, ClientStanding } from '../../../../protocol/client';

/**
 * All differences between client versions in the reader for files over 5 MiB. ("Files over 5 MiB", "Client versions" in
 * docs/format.md)
 */
export interface ReaderRules {
  /** If no row can be the last one, no row is dropped. Otherwise all are that are not above the row a `last-prompt` names. */
  readonly keepsRowsWithoutLeaf: boolean;
  /** Rows beside the chain are kept if they belong to their parent. Otherwise all of them are dropped. */
  readonly keepsSideRows: boolean;
  /** So are virtual calls and their results. */
  readonly keepsVirtualSideRows: boolean;
  /** The list of a compaction decides which rows are kept. Otherwise no row is dropped after a compaction that keeps any. */
  readonly followsKeptLists: boolean;
  /** Rows that start with their parent are indexed late after a compaction. */
  readonly indexesLate: boolean;
  /** A parent that is neither a string nor null, or a cycle, is a break. Otherwise the chain is whole if it ends there. */
  readonly breaksAtOddLinks: boolean;
  /** A compaction behind NULs is seen as one. */
  readonly seesCompactionsBehindNuls: boolean;
  /** So is one whose subtype comes late, after its metadata. */
  readonly seesLateCompactions: boolean;
  /** The first value of a line counts. Otherwise the line must be one JSON value, or it is lost. */
  readonly readsFirstValues: boolean;
  /** A conversation does not end at a row without a parent that holds no object, or copies of files. */
  readonly passesOverOddRoots: boolean;
  /** `isSidechain` is searched by its key. Otherwise it is `"isSidechain":true` anywhere at the start of the line. */
  readonly findsSidechainByKey: boolean;
}

/** All differences between client versions in how they load a history. Each doc comment names its heading in docs/format.md. */
export interface LoaderRules extends ReaderRules {
  /**
   * User and assistant rows without usable content are left out, and their children follow their parents. ("Parents")
   * Otherwise they are rows like any other.
   */
  readonly dropsUnusableMessages: boolean;
  /** Nothing loads if a message is missing, or has content in a form that the client does not expect. ("Parents") */
  readonly failsOnOddMessages: boolean;
  /** Nothing loads if the content of a reply in the history is a string. ("Parents") */
  readonly failsOnTextReplies: boolean;
  /** Replies whose content is a blank string are left out like other messages without content. ("Parents") */
  readonly dropsBlankTextReplies: boolean;
  /** System rows that keep copies of files are neither the last row nor a row at which a walk continues by time. ("Leaf") */
  readonly passesOverFileSnapshots: boolean;
  /** If no `last-prompt` names a row, the history ends on the newest row in time below the last row. ("Leaf") */
  readonly continuesToDescendants: boolean;
  /** The last row also continues from a named call, or its result, by another call of the same message. ("Leaf") */
  readonly continuesBesideCalls: boolean;
  /** The last row also continues from the named end of a reply that was written in parts. ("Leaf") */
  readonly continuesBesideSplitReplies: boolean;
  /** A history may end on a tip without a readable time. ("Leaf") */
  readonly choosesTipsWithoutTime: boolean;
  /** How far back in time, in milliseconds, a broken walk looks for a row at which to continue; 0: the walk ends. ("Walk") */
  readonly selfHealMs: number;
  /** It looks only among the rows with the same `isSidechain`. ("Walk") */
  readonly healsWithinSidechainState: boolean;
  /** A link back into the chain is treated like a missing parent; otherwise the walk ends there. ("Walk") */
  readonly healsCycles: boolean;
  /** Rows of parallel calls beside the chain are added to it. ("Parallel calls") */
  readonly recoversParallelCalls: boolean;
  /** They are in file order among the rows of their message; otherwise behind the last of them. ("Parallel calls") */
  readonly recoversInFileOrder: boolean;
  /** Results are found by the id of their call as well; otherwise only below a row of its message. ("Parallel calls") */
  readonly findsResultsByCallId: boolean;
  /** If the history ends on a result, the last turn's calls without a result are kept. ("Request") */
  readonly keepsOpenCallsBeforeResults: boolean;
  /** So are those of the last message if the history ends on calls. ("Request") */
  readonly keepsOpenCallsAtEnd: boolean;
  /** Rows that accompany a turn do not end it if they are behind its last reply. ("Companions") */
  readonly passesOverCompanions: boolean;
  /** A result before its call is moved to the call if no prompt is between them. ("Request") */
  readonly movesEarlyResults: boolean;
  /** Attachments whose texts are in the row are sent, and go behind the rows of a message that they are between. ("Request") */
  readonly sendsWrittenTexts: boolean;
  /** Some of them are for the user, and not for the system. ("Request") */
  readonly sendsTextsToUser: boolean;
  /** Models that have retired, without the date in their ids: a resume does not continue with them. ("Retired models") */
  readonly retiredModels: readonly string[];
}

/** A client version, how well it is known, and how it loads a history. */
export interface Client extends ClientInfo {
  readonly rules: LoaderRules;
}

/** The newest client whose loader was measured; verdicts speak for it if no other client is named or found. */
export const NEWEST_MEASURED = '2.1.330';

/** The versions whose rules are known exactly, also for files over 5 MiB; both ends included. */
const EXACT: readonly { readonly from: string; readonly to: string }[] = [{ from: '2.1.250', to: NEWEST_MEASURED }];

/**
 * Changes by client version, oldest first: a version has the changes of every entry up to it.
 * (docs/format.md, "Client versions")
 */
const CHANGES: readonly [
  { readonly since: '0'; readonly rules: LoaderRules },
  ...(readonly { readonly since: string; readonly rules: Partial<LoaderRules> }[]),
] = [
  {
    since: '0',
    rules: {
      dropsUnusableMessages: false,
      failsOnOddMessages: true,
      failsOnTextReplies: true,
      dropsBlankTextReplies: false,
      passesOverFileSnapshots: false,
      continuesToDescendants: false,
      continuesBesideCalls: false,
      continuesBesideSplitReplies: false,
      choosesTipsWithoutTime: false,
      selfHealMs: 0,
      healsWithinSidechainState: false,
      healsCycles: false,
      recoversParallelCalls: false,
      recoversInFileOrder: false,
      findsResultsByCallId: false,
      keepsOpenCallsBeforeResults: false,
      keepsOpenCallsAtEnd: false,
      passesOverCompanions: false,
      movesEarlyResults: false,
      sendsWrittenTexts: false,
      sendsTextsToUser: false,
      retiredModels: [],
      keepsRowsWithoutLeaf: false,
      keepsSideRows: false,
      keepsVirtualSideRows: false,
      followsKeptLists: false,
      indexesLate: false,
      breaksAtOddLinks: false,
      seesCompactionsBehindNuls: false,
      seesLateCompactions: false,
      readsFirstValues: false,
      passesOverOddRoots: false,
      findsSidechainByKey: false,
    },
  },
  { since: '2.1.80', rules: { recoversParallelCalls: true } },
  { since: '2.1.91', rules: { selfHealMs: 5000 } },
  { since: '2.1.101', rules: { healsWithinSidechainState: true } },
  { since: '2.1.108', rules: { healsCycles: true } },
  { since: '2.1.257', rules: { continuesToDescendants: true, keepsRowsWithoutLeaf: true } },
  { since: '2.1.261', rules: { recoversInFileOrder: true } },
  { since: '2.1.265', rules: { keepsOpenCallsBeforeResults: true } },
  { since: '2.1.267', rules: { keepsSideRows: true } },
  { since: '2.1.268', rules: { sendsWrittenTexts: true } },
  { since: '2.1.275', rules: { dropsUnusableMessages: true, failsOnOddMessages: false } },
  { since: '2.1.277', rules: { failsOnTextReplies: false, dropsBlankTextReplies: true } },
  {
    since: '2.1.281',
    rules: {
      findsResultsByCallId: true,
      keepsOpenCallsAtEnd: true,
      passesOverCompanions: true,
      movesEarlyResults: true,
      followsKeptLists: true,
      breaksAtOddLinks: true,
      seesCompactionsBehindNuls: true,
    },
  },
  { since: '2.1.282', rules: { indexesLate: true, readsFirstValues: true } },
  { since: '2.1.285', rules: { seesLateCompactions: true, sendsTextsToUser: true } },
  { since: '2.1.286', rules: { continuesBesideCalls: true } },
  { since: '2.1.317', rules: { passesOverFileSnapshots: true, passesOverOddRoots: true } },
  { since: '2.1.318', rules: { findsSidechainByKey: true } },
  { since: '2.1.324', rules: { continuesBesideSplitReplies: true } },
  { since: '2.1.328', rules: { keepsVirtualSideRows: true } },
  { since: '2.1.330', rules: { choosesTipsWithoutTime: true } },
];

/** The versions at which the rules change, oldest first. */
export const RULE_VERSIONS: readonly string[] = CHANGES.map(({ since }) => since);

/**
 * When models retire, and the first client that knows: of those with which a resume continues. The dates are those of the
 * API of Anthropic; each begins at midnight, local time. (docs/format.md, "Retired models")
 */
const RETIREMENTS: readonly { readonly since: string; readonly model: string; readonly atMs: number }[] = [
  { since: '2.1.329', model: 'claude-sonnet-4-5', atMs: new Date(2026, 10, 30).getTime() },
];

/** What old clients are known to lose, by the newest version that was seen to. (docs/format.md, "Client versions") */
const LIMITS: readonly { readonly upTo: string; readonly limits: readonly ClientLimit[] }[] = [
  { upTo: '2.1.90', limits: ['no-healing'] },
  { upTo: '2.1.100', limits: ['nul-lines', 'glued-lines'] },
  { upTo: '2.1.79', limits: ['parallel-results'] },
  { upTo: '2.1.50', limits: ['leaf-by-time'] },
];

/**
 * The client of a version such as `2.1.330`: those that are newer than every measured one have the newest rules.
 * @param nowMs see `loaderRules`
 */
export function clientFor(version: string = NEWEST_MEASURED, nowMs?: number): Client {
  const limits = LIMITS.flatMap((each) => (isAtLeast(each.upTo, version) ? each.limits : []));
  const standing = standingOf(version, limits);
  return {
    version,
    isExact: standing === 'exact',
    standing,
    limits,
    newestMeasured: NEWEST_MEASURED,
    rules: loaderRules(version, nowMs),
  };
}

/**
 * The rules of a client version such as `2.1.330`; a missing part counts as 0.
 * @param nowMs when the client would load a history, in milliseconds since 1970: models retire
 */
export function loaderRules(version: string = NEWEST_MEASURED, nowMs: number = Date.now()): LoaderRules {
  const [oldest, ...later] = CHANGES;
  const rules = later.reduce<LoaderRules>(
    (before, change) => (isAtLeast(version, change.since) ? { ...before, ...change.rules } : before),
    oldest.rules,
  );
  const retired = RETIREMENTS.filter(({ since, atMs }) => isAtLeast(version, since) && atMs < nowMs);
  return { ...rules, retiredModels: retired.map(({ model }) => model) };
}

/** The first version with the newest form of a rule; `0` if it never changed. */
export function versionSince(rule: keyof LoaderRules): string {
  return CHANGES.findLast(({ rules }) => rule in rules)?.since ?? '0';
}

/** Whether a version is as new as the other one, or newer. */
export function isAtLeast(version: string, other: string): boolean {
  const [left = [], right = []] = [version, other].map((each) => each.split('.').map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function standingOf(version: string, limits: readonly ClientLimit[]): ClientStanding {
  if (EXACT.some(({ from, to }) => isAtLeast(version, from) && isAtLeast(to, version))) return 'exact';
  if (!isAtLeast(NEWEST_MEASURED, version)) return 'newer';
  return limits.length > 0 ? 'older' : 'between';
}
