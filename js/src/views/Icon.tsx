import {
  ArrowLeftRight,
  Ban,
  Check,
  CheckCheck,
  ChevronLeft,
  ChevronRight,
  Circle,
  Copy,
  Crosshair,
  Diamond,
  FileText,
  FolderInput,
  Globe,
  Hourglass,
  type IconNode,
  Lightbulb,
  LoaderCircle,
  Minus,
  Pause,
  Pencil,
  Play,
  Search,
  SkipBack,
  SkipForward,
  Square,
  SquareTerminal,
  Trash,
  TriangleAlert,
  X,
} from "lucide";
import { h, type VNode } from "preact";
import type { ToolKind } from "../lib/words.ts";
import "./Icon.css";

const ICONS = {
  allow_always: CheckCheck,
  allow_once: Check,
  alert: TriangleAlert,
  back: ChevronLeft,
  chevron: ChevronRight,
  circle: Circle,
  copy: Copy,
  delete: Trash,
  edit: Pencil,
  execute: SquareTerminal,
  fetch: Globe,
  follow: Crosshair,
  hourglass: Hourglass,
  minus: Minus,
  move: FolderInput,
  other: Diamond,
  pause: Pause,
  play: Play,
  read: FileText,
  reject_always: Ban,
  reject_once: X,
  search: Search,
  skip_back: SkipBack,
  skip_forward: SkipForward,
  spinner: LoaderCircle,
  step: ChevronRight,
  stop: Square,
  switch_mode: ArrowLeftRight,
  think: Lightbulb,
} satisfies Record<string, IconNode> & Record<ToolKind, IconNode>;

export type IconName = keyof typeof ICONS;

/** A small drawing beside words. It says nothing that the words do not. */
export function Icon({ name, class: extra = "" }: { name: IconName; class?: string }): VNode {
  const spinning = name === "spinner" ? " acp-spin" : "";
  return (
    <svg class={`acp-icon${spinning} ${extra}`} viewBox="0 0 24 24" width="14" height="14" aria-hidden="true">
      {ICONS[name].map(([tag, attributes]) => h(tag, attributes as Record<string, string>))}
    </svg>
  );
}
