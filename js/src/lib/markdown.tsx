export { Markdown } from "../views/Markdown.tsx";
