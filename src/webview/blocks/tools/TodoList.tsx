import type { JSX } from 'preact';
import type { BlockHost } from '../blockHost';
import { Icon, type IconName } from '../parts/Icon';
import { VisibleText } from '../parts/VisibleText';

const MAX_TODOS = 200;
const MAX_TODO_CHARS = 1000;

interface Todo {
  readonly text: string;
  readonly status: string;
}

export function TodoList({ host, todos }: { host: BlockHost; todos: readonly Todo[] }): JSX.Element {
  return (
    <ul class="block-todos">
      {todos.slice(0, MAX_TODOS).map((todo, at) => {
        const { icon, label, look } = stateOf(todo.status, host);
        return (
          <li key={at} class={`block-todo-${look}`} dir="auto">
            <Icon name={icon} />
            <span class="block-unseen">{label}</span>
            <span class="block-todo-text">
              <VisibleText text={todo.text.slice(0, MAX_TODO_CHARS)} strictness="prose" />
            </span>
          </li>
        );
      })}
      {todos.length > MAX_TODOS && <li>{host.t('{0} more', todos.length - MAX_TODOS)}</li>}
    </ul>
  );
}

function stateOf(status: string, host: BlockHost): { icon: IconName; label: string; look: string } {
  switch (status) {
    case 'completed':
      return { icon: 'done', label: host.t('Done'), look: 'done' };
    case 'in_progress':
      return { icon: 'busy', label: host.t('In progress'), look: 'busy' };
    case 'pending':
      return { icon: 'square', label: host.t('Open'), look: 'open' };
    default:
      return { icon: 'square', label: status.slice(0, 40), look: 'open' };
  }
}
