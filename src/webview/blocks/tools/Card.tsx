import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from '../parts/Icon';

/** A box with a line that says what it is, and unfolds the rest. */
export function Card(props: {
  readonly icon: IconName;
  readonly name: ComponentChildren;
  readonly title: ComponentChildren;
  readonly status: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly look: 'ok' | 'error' | 'none';
  readonly isExpanded: boolean;
  readonly onToggle: () => void;
  readonly children: () => ComponentChildren;
}): JSX.Element {
  return (
    <div class={`block-card block-card-${props.look}`}>
      <div class="block-card-head">
        <button type="button" class="block-card-line" aria-expanded={props.isExpanded} onClick={props.onToggle}>
          <Icon name="chevron" className="block-chevron" />
          <Icon name={props.icon} className="block-card-icon" />
          <span class="block-card-name">{props.name}</span>
          <span class="block-card-title">{props.title}</span>
          {props.status}
        </button>
        {props.actions}
      </div>
      {props.isExpanded && <div class="block-card-body">{props.children()}</div>}
    </div>
  );
}
