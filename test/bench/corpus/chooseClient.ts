import type { Chance } from './chance';

/** The values that all rows of one session share. */
export interface SessionFrame {
  readonly sessionId: string;
  readonly cwd: string;
  readonly gitBranch: string;
  readonly version: string;
  readonly slug: string;
}

/** How one generation of clients writes its rows, in the order of its keys. (docs/format.md, "Key order") */
export interface ClientStyle {
  /** It writes `progress` rows; later clients write attachments, and `last-prompt` rows in their place. */
  readonly isLegacy: boolean;
  /** A row from its own fields: `body` comes before its uuid and time, `behind` after them. */
  chainRow(frame: SessionFrame, row: ChainRowParts): object;
}

export interface ChainRowParts {
  readonly type: 'user' | 'assistant' | 'attachment' | 'system' | 'progress';
  readonly parentUuid: string | null;
  readonly uuid: string;
  readonly timestamp: string;
  readonly body: object;
  readonly behind?: object;
}

/** As in clients up to 2.1.50. */
const LEGACY_STYLE: ClientStyle = {
  isLegacy: true,
  chainRow(frame, { type, parentUuid, uuid, timestamp, body, behind }) {
    const { cwd, sessionId, version, gitBranch, slug } = frame;
    const start = { parentUuid, isSidechain: false, userType: 'external', cwd, sessionId, version, gitBranch, slug };
    return type === 'assistant'
      ? { ...start, ...body, type, uuid, timestamp, ...behind }
      : { ...start, type, ...body, uuid, timestamp, ...behind };
  },
};

/** As in clients since 2.1.200. */
const RECENT_STYLE: ClientStyle = {
  isLegacy: false,
  chainRow(frame, { type, parentUuid, uuid, timestamp, body, behind }) {
    const { cwd, sessionId, version, gitBranch } = frame;
    const start = { parentUuid, isSidechain: false };
    const end = { uuid, timestamp, ...behind, session_id: sessionId, userType: 'external', entrypoint: 'cli' };
    const where = { cwd, sessionId, version, gitBranch };
    return type === 'assistant' || type === 'attachment'
      ? { ...start, ...body, type, ...end, ...where }
      : { ...start, type, ...body, ...end, ...where };
  },
};

const FOLDERS = [
  '/home/dev/projects/webapp',
  '/Users/dev/src/my "quoted" dir',
  'C:\\Users\\dev\\code\\thing',
  '/work/größe/app',
] as const;

export function chooseClient(
  chance: Chance,
  sessionId: string,
): { readonly style: ClientStyle; readonly frame: SessionFrame } {
  const isLegacy = chance.hasLuck(0.5);
  const frame = {
    sessionId,
    cwd: chance.pick(FOLDERS),
    gitBranch: chance.pick(['main', 'feat/x-y', '', 'HEAD']),
    version: `2.1.${isLegacy ? chance.between(0, 50) : chance.between(200, 330)}`,
    slug: chance.pick(['shiny-leaping-otter', 'calm-brave-ridge', 'peppy-wondering-fox']),
  };
  return { style: isLegacy ? LEGACY_STYLE : RECENT_STYLE, frame };
}
