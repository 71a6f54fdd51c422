import { basename } from 'node:path';
import * as v from 'valibot';
import type { ConversationCalls } from '../../protocol/channels/conversation';
import type { RepairAnswer, RepairProposal, RepairSeam } from '../../protocol/channels/panel';
import type { SessionsCalls, SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';
import type { RepairOutcome, RepairScope, SessionRepairResult } from '../../protocol/repair';
import type { PanelRepairs } from '../conversation/panelHost';
import { Disposable, Emitter } from '../lifetime';
import type { Services } from '../services';
import { allSessions, canBeRepaired, findSession, type NamedSession, sessionAt } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import { repairSeveral } from './repairSeveral';
import { failureMessage, isLogWorthReading, memoryNow, repairProposal, seamOf } from './repairText';

/** The key in the global state under which the repairs that can be undone are stored. */
const KEPT_SEAMS = 'repairSeams';
/** Maximum number of sessions with a stored repair; the latest ones are kept. */
const MAX_SEAMS = 100;

/** What is used of the services of the window. */
export interface SessionRepairsDeps extends Pick<
  Services,
  'dialogs' | 'formats' | 'homeDir' | 'log' | 'now' | 'run' | 'showLog' | 't'
> {
  readonly client: {
    readonly conversation: Pick<ConversationCalls, 'planRepair'>;
    readonly sessions: Pick<SessionsCalls, 'repair' | 'undoRepair' | 'info'>;
  };
  readonly home: {
    readonly globalState: {
      get(key: string): unknown;
      update(key: string, value: unknown): Thenable<void>;
    };
  };
  readonly model: { readonly snapshot: SessionsSnapshot; start(): Promise<void> };
}

/** Repairs sessions, and undoes that: in their conversations, and before they are resumed. */
export class SessionRepairs extends Disposable {
  /** By transcript, in the order of the repairs. */
  readonly #seams: Map<string, RepairSeam>;
  readonly #seamChanged = this._register(new Emitter<string>());

  /** Fires with the path of a session that was repaired, or whose repair was undone. */
  readonly onSeamChange = this.#seamChanged.event;

  constructor(private readonly services: SessionRepairsDeps) {
    super();
    this.#seams = new Map(readSeams(services.home.globalState.get(KEPT_SEAMS)));
  }

  /** The repair that the conversation of a session shows; null if there is none that can be undone. */
  seam(filePath: string): RepairSeam | null {
    const listed = findSession(this.services.model.snapshot, filePath)?.session;
    return listed?.hasBackup === false ? null : (this.#seams.get(filePath) ?? null);
  }

  /** What the panel of a session asks for. */
  ofPanel(filePath: string): PanelRepairs {
    const session = (): NamedSession => sessionAt(this.services.model.snapshot, filePath);
    return {
      seam: () => this.seam(filePath),
      proposal: (scope) => this.#propose(session(), scope),
      repair: (scope, isInsisted) => this.#repair(session(), scope, isInsisted),
      undo: (isInsisted) => this.#undo(session(), isInsisted),
    };
  }

  async #propose(session: NamedSession, scope: RepairScope): Promise<RepairProposal> {
    const { client, formats, homeDir, t } = this.services;
    const plan = await client.conversation.planRepair(session, scope);
    if (plan.result.status === 'failed') return { kind: 'nothing', why: this.#whyNot(plan) };
    return repairProposal({ homeDir, plan }, formats, t);
  }

  async #repair(session: NamedSession, scope: RepairScope, isInsisted: boolean): Promise<RepairAnswer> {
    const outcome = await this.services.client.sessions.repair(session, isInsisted ? 'anyway' : 'asked', scope);
    if (outcome.result.status === 'failed') return this.#refusal(outcome);
    this.noteRepaired(outcome);
    return { kind: 'done' };
  }

  async #undo(session: NamedSession, isInsisted: boolean): Promise<RepairAnswer> {
    const outcome = await this.services.client.sessions.undoRepair(session, isInsisted);
    if (outcome.result.status === 'failed') return this.#refusal(outcome);
    this.services.log.info(`Undid the repair of ${session.path}`);
    this.#warn(outcome);
    this.#keep(session.path, null);
    return { kind: 'done' };
  }

  /**
   * Repairs without asking before the session is resumed. False if nothing was repaired: if that would take a message away, the
   * person undid a repair, or a client may be running the session, the person decides; other reasons are reported.
   */
  async repairFirst(session: NamedSession): Promise<boolean> {
    const { client, dialogs, t } = this.services;
    const outcome = await dialogs.during(t('Repairing “{0}”', sessionLabel(session, t)), () =>
      client.sessions.repair(session, 'automatic'),
    );
    if (outcome.result.status !== 'failed') {
      this.noteRepaired(outcome);
      void this.#sayMemory(session, t('Repaired before resuming'));
      return true;
    }
    const needsPerson = ['not-repairable', 'declined', 'maybe-live'].includes(outcome.result.reason ?? '');
    if (!needsPerson) this.#sayFailed(outcome);
    return false;
  }

  /** Lists those of the sessions that need a repair, and repairs the ones that the person chooses. */
  async repairSome(sessions: readonly SessionSummary[]): Promise<void> {
    const { dialogs, t } = this.services;
    const repairable = sessions.filter(canBeRepaired);
    if (repairable.length === 0) dialogs.note(t('None of these sessions needs a repair'));
    else await this.#repairSeveral(repairable);
  }

  /** Lists all broken sessions, those of the window's folders first, and repairs the ones that the person chooses. */
  async repairAllBroken(): Promise<void> {
    const { dialogs, model, t } = this.services;
    await dialogs.during(t('Scanning the sessions'), () => model.start());
    const broken = allSessions(model.snapshot).filter(
      (session) => session.health === 'corrupted' && canBeRepaired(session),
    );
    if (broken.length === 0) dialogs.note(t('No session is broken'));
    else await this.#repairSeveral(broken);
  }

  async #repairSeveral(sessions: readonly SessionSummary[]): Promise<void> {
    const { client, model } = this.services;
    const placed = sessions.map((session) => ({ session, place: placeOf(session, model.snapshot) }));
    const work = {
      repair: async (session: NamedSession) => {
        const outcome = await client.sessions.repair(session, 'asked');
        if (outcome.result.status === 'failed') return this.#whyNot(outcome);
        this.noteRepaired(outcome);
        return null;
      },
      undo: async (session: NamedSession) => {
        const answer = await this.#undo(session, false);
        return answer.kind === 'done' ? null : answer.why;
      },
    };
    await repairSeveral(placed, work, this.services);
  }

  /** Shows a repair that was done in the conversation of its session. */
  noteRepaired(outcome: RepairOutcome): void {
    const { filePath, backupPath } = outcome.result;
    this.services.log.info(`Repaired ${filePath}; backup: ${backupPath ?? 'none'}`);
    this.#warn(outcome);
    this.#keep(filePath, outcome.result);
  }

  /** Undoes the last repair of a session, for the commands. */
  async undo(session: NamedSession): Promise<void> {
    const { dialogs, t } = this.services;
    const title = sessionLabel(session, t);
    const undo = (isInsisted: boolean): Promise<RepairAnswer> =>
      dialogs.during(t('Undoing the repair of “{0}”', title), () => this.#undo(session, isInsisted));
    let answer = await undo(false);
    if (answer.kind === 'refused' && answer.canInsist) {
      const anyway = t('Undo Anyway');
      if ((await dialogs.notify('warning', answer.why, anyway)) !== anyway) return;
      answer = await undo(true);
    }
    if (answer.kind === 'done') void this.#sayMemory(session, t('Repair undone'));
    else void dialogs.notify('error', answer.why);
  }

  /** The transcript was rewritten by other means: its page no longer offers to undo a repair, and warns of nothing. */
  forget(filePath: string): void {
    this.#keep(filePath, null);
  }

  #keep(filePath: string, repaired: SessionRepairResult | null): void {
    this.#seams.delete(filePath);
    if (repaired !== null) this.#seams.set(filePath, seamOf(repaired));
    const kept = [...this.#seams].slice(-MAX_SEAMS);
    void this.services.home.globalState.update(KEPT_SEAMS, kept);
    this.#seamChanged.fire(filePath);
  }

  /** In the status bar, once the messages are counted. Never rejects. */
  async #sayMemory(session: NamedSession, done: string): Promise<void> {
    const { client, dialogs, formats, t } = this.services;
    const counted = await client.sessions.info(session).catch(() => null);
    dialogs.note(counted === null ? done : `${done}: ${memoryNow(counted, formats, t)}`);
  }

  #refusal(outcome: RepairOutcome): RepairAnswer {
    const { result, problem } = outcome;
    const why = this.#whyNot(outcome);
    if (result.reason !== 'maybe-live') return { kind: 'refused', why, canInsist: false };
    const { t } = this.services;
    const risk = t(
      'If it is, it goes on from what it has in memory, and what it writes next can point to a message that the change has moved.',
    );
    return { kind: 'refused', why: [problem ?? why, risk].join(' '), canInsist: true };
  }

  /** A sentence for people. The engine's own, which names files, is in the log. */
  #whyNot({ result, problem }: RepairOutcome): string {
    const reason = result.reason ?? 'write-failed';
    this.services.log.warn(
      `Nothing was changed in ${result.filePath}: ${reason}${problem === null ? '' : `: ${problem}`}`,
    );
    return failureMessage(reason, this.services.t);
  }

  #sayFailed(outcome: RepairOutcome): void {
    const { dialogs, run, showLog, t } = this.services;
    const message = this.#whyNot(outcome);
    const buttons = isLogWorthReading(outcome.result.reason ?? 'write-failed') ? [t('Show Log')] : [];
    void run('rethread.showLog', async () => {
      if ((await dialogs.notify('error', message, ...buttons)) !== null) showLog();
    });
  }

  /** The repair succeeded, but what Claude wrote at that moment is in another file, which the sentence names. */
  #warn({ result, problem }: RepairOutcome): void {
    if (problem === null) return;
    this.services.log.warn(`${result.filePath}: ${problem}`);
    void this.services.dialogs.notify('warning', problem);
  }
}

/** The name of the project of a session; empty if it is not listed. */
function placeOf({ path }: SessionSummary, snapshot: SessionsSnapshot): string {
  const project = findSession(snapshot, path)?.project;
  return project === undefined ? '' : basename(project.cwd ?? project.folder);
}

const KEPT = v.array(v.tuple([v.string(), v.object({ lines: v.array(v.number()) })]));

/** What this version or another one has stored. */
function readSeams(stored: unknown): readonly (readonly [string, RepairSeam])[] {
  const kept = v.safeParse(KEPT, stored);
  return kept.success ? kept.output : [];
}
