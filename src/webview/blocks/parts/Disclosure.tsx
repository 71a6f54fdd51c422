import type { ComponentChildren, JSX } from 'preact';
import { Icon } from './Icon';

/** A line that unfolds what is below it. The content is made when it is wanted first. */
export function Disclosure(props: {
  readonly label: ComponentChildren;
  readonly isExpanded: boolean;
  readonly onToggle: () => void;
  readonly className?: string;
  readonly children: () => ComponentChildren;
}): JSX.Element {
  return (
    <div class={`block-disclosure ${props.className ?? ''}`}>
      <button type="button" class="block-disclosure-line" aria-expanded={props.isExpanded} onClick={props.onToggle}>
        <Icon name="chevron" className="block-chevron" />
        {props.label}
      </button>
      {props.isExpanded && <div class="block-disclosure-body">{props.children()}</div>}
    </div>
  );
}
