import * as vscode from 'vscode';
import type { RepairOutcome } from '../../protocol/repair';
import { note } from '../commands/windowRunner';
import type { Services } from '../services';
import type { NamedSession } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import type { RepairPreviews } from './repairPreviews';
import {
  failureMessage,
  isLogWorthReading,
  loadsNowMessage,
  repairedMessage,
  repairExplanation,
  repairPreviewText,
  repairQuestion,
  undoneMessage,
} from './repairText';

/** Repairs a session, and undoes that. */
export class RepairCommands {
  constructor(
    private readonly services: Services,
    private readonly previews: RepairPreviews,
  ) {}

  /** Shows every edit, asks for confirmation and repairs. */
  async repair(session: NamedSession): Promise<void> {
    await this.#repairIfConfirmed(session);
  }

  /** Returns whether the session was repaired. */
  async #repairIfConfirmed(session: NamedSession): Promise<boolean> {
    const { client, formats, t, homeDir } = this.services;
    const { path: filePath } = session;
    const title = sessionLabel(session, t);
    const plan = await this.#during(t('Checking “{0}”', title), () => client.sessions.planRepair(session));
    if (plan.result.status === 'failed') {
      this.#sayFailed(plan);
      return false;
    }
    if (plan.result.edits.length === 0) {
      const { resumeBefore } = plan.result;
      void vscode.window.showInformationMessage(loadsNowMessage(resumeBefore, formats, t));
      return false;
    }
    await this.previews.show(filePath, title, repairPreviewText({ title, homeDir, plan: plan.result }, formats, t));
    const repair = t('Repair');
    const answer = await vscode.window.showInformationMessage(
      repairQuestion(plan.result, formats, t),
      { modal: true, detail: repairExplanation(plan.result, formats, t) },
      repair,
    );
    if (answer !== repair) return false;
    let outcome = await this.#during(t('Repairing “{0}”', title), () => client.sessions.repair(session));
    if (outcome.result.reason === 'maybe-live' && (await this.#mayBeLive(title, outcome.problem, t('Repair Anyway')))) {
      outcome = await this.#during(t('Repairing “{0}”', title), () => client.sessions.repair(session, 'anyway'));
    }
    await this.previews.close(filePath);
    if (outcome.result.status === 'failed') {
      this.#sayFailed(outcome);
      return false;
    }
    this.services.log.info(`Repaired ${filePath}; backup: ${outcome.result.backupPath ?? 'none'}`);
    this.#warn(outcome);
    // The repair is done; the message can stay open, so it is not awaited.
    void this.#offerUndo(session, repairedMessage(outcome.result.resumeAfter, formats, t));
    return true;
  }

  /**
   * Repairs without asking before the session is resumed, unless that takes a message away, the person undid a repair, or a client
   * may be running the session: then it asks. False if nothing was repaired; the reason is reported.
   */
  async repairFirst(session: NamedSession): Promise<boolean> {
    const { client, formats, t } = this.services;
    const title = sessionLabel(session, t);
    const outcome = await this.#during(t('Repairing “{0}”', title), () => client.sessions.repair(session, 'automatic'));
    const needsPerson = ['not-repairable', 'declined', 'maybe-live'].includes(outcome.result.reason ?? '');
    if (needsPerson) return this.#repairIfConfirmed(session);
    if (outcome.result.status === 'failed') {
      this.#sayFailed(outcome);
      return false;
    }
    this.services.log.info(`Repaired ${session.path}; backup: ${outcome.result.backupPath ?? 'none'}`);
    this.#warn(outcome);
    void this.#offerUndo(session, repairedMessage(outcome.result.resumeAfter, formats, t));
    return true;
  }

  async undo(session: NamedSession): Promise<void> {
    const { client, formats, t } = this.services;
    const title = sessionLabel(session, t);
    const undo = (mayBeLive: boolean): Thenable<RepairOutcome> =>
      this.#during(t('Undoing the repair of “{0}”', title), () => client.sessions.undoRepair(session, mayBeLive));
    let outcome = await undo(false);
    if (outcome.result.reason === 'maybe-live' && (await this.#mayBeLive(title, outcome.problem, t('Undo Anyway')))) {
      outcome = await undo(true);
    }
    if (outcome.result.status === 'failed') {
      this.#sayFailed(outcome);
      return;
    }
    this.services.log.info(`Undid the repair of ${session.path}`);
    this.#warn(outcome);
    note(undoneMessage(outcome.result.resumeAfter, formats, t));
  }

  /** Says the risk of changing a session that a client may be running. True if the person accepts it. */
  async #mayBeLive(title: string, why: string | null, anyway: string): Promise<boolean> {
    const { t } = this.services;
    const risk = t(
      'If it is, it goes on from what it has in memory: what it writes next can hang from rows that the change has moved.',
    );
    const answer = await vscode.window.showWarningMessage(
      t('Claude Code may still be running “{0}”.', title),
      { modal: true, detail: why === null ? risk : `${why}\n\n${risk}` },
      anyway,
    );
    return answer === anyway;
  }

  async #offerUndo(session: NamedSession, message: string): Promise<void> {
    const undo = this.services.t('Undo');
    const answer = await vscode.window.showInformationMessage(message, undo);
    if (answer === undo) await this.services.run('rethread.undoRepair', () => this.undo(session));
  }

  #during<T>(title: string, work: () => Promise<T>): Thenable<T> {
    return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, work);
  }

  #sayFailed({ result, problem }: RepairOutcome): void {
    const { t, log } = this.services;
    const reason = result.reason ?? 'write-failed';
    log.warn(`Nothing was changed in ${result.filePath}: ${reason}${problem === null ? '' : `: ${problem}`}`);
    void this.#showError(failureMessage(reason, t), isLogWorthReading(reason));
  }

  async #showError(message: string, hasMoreInLog: boolean): Promise<void> {
    const showLog = this.services.t('Show Log');
    const answer = await vscode.window.showErrorMessage(message, ...(hasMoreInLog ? [showLog] : []));
    if (answer === showLog) this.services.showLog();
  }

  /** The repair succeeded, but rows that Claude wrote at that moment are in another file, which the sentence names. */
  #warn({ result, problem }: RepairOutcome): void {
    if (problem === null) return;
    this.services.log.warn(`${result.filePath}: ${problem}`);
    void vscode.window.showWarningMessage(problem);
  }
}
