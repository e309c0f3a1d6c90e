interface Host {
  getWidget(ref: string): Promise<unknown>;
}

interface Props {
  model: { get(name: string): unknown };
  el: HTMLElement;
  host: Host;
  signal?: AbortSignal;
}

declare const view: { render(props: Props): () => void };
export default view;
