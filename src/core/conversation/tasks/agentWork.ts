import type { TaskPlace } from '../../../protocol/task';
import type { AgentNotice, TaskResult } from '../../providers/claude/format/taskCalls';
import { ChangeLog, newDraft, type TaskDraft } from './taskDraft';

export interface AgentDraft extends TaskDraft {
  readonly agentType: string | null;
  agentId: string | null;
  /** Whether neither a result nor a notice has reported its end. */
  isOpen: boolean;
}

/** The subagents that a session started, by the id of the call that started them. */
export class AgentWork {
  readonly #agents = new Map<string, AgentDraft>();
  readonly #byAgent = new Map<string, AgentDraft>();
  readonly changes = new ChangeLog();

  get list(): readonly AgentDraft[] {
    return [...this.#agents.values()];
  }

  start(callId: string, subject: string, agentType: string | null, at: TaskPlace): void {
    if (this.#agents.has(callId)) return;
    const agent: AgentDraft = Object.assign(newDraft(callId, subject, at), { agentType, agentId: null, isOpen: true });
    agent.status = 'in_progress';
    this.#agents.set(callId, agent);
    this.changes.added(agent, at);
  }

  answer(result: TaskResult, at: TaskPlace): void {
    const agent = this.#agents.get(result.callId);
    if (agent === undefined) return;
    agent.agentId = result.agentId ?? agent.agentId;
    if (agent.agentId !== null) this.#byAgent.set(agent.agentId, agent);
    if (result.isRefused) this.#end(agent, 'failed', at);
    else if (!result.isLaunched) this.#end(agent, 'completed', at);
  }

  notice({ callId, agentId, status }: AgentNotice, at: TaskPlace): void {
    const agent =
      (callId === null ? undefined : this.#agents.get(callId)) ??
      (agentId === null ? undefined : this.#byAgent.get(agentId));
    if (agent !== undefined) this.#end(agent, status, at);
  }

  #end(agent: AgentDraft, status: AgentNotice['status'], at: TaskPlace): void {
    agent.isOpen = false;
    this.changes.setStatus(agent, { status, text: null }, at);
  }
}
