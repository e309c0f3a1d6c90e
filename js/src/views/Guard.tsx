import { Component, type ComponentChildren, type ErrorInfo } from "preact";

interface Props {
  /** What is said in its place. */
  what: string;
  children: ComponentChildren;
}

interface State {
  broken: boolean;
}

/** Keeps what cannot be drawn from taking the rest of the page with it. */
export class Guard extends Component<Props, State> {
  override state: State = { broken: false };

  override componentDidCatch(_error: unknown, _info: ErrorInfo): void {
    this.setState({ broken: true });
  }

  override render({ what, children }: Props, { broken }: State): ComponentChildren {
    return broken ? <div class="acp-dim">{what} cannot be drawn.</div> : children;
  }
}
