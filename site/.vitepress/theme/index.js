import Theme from "vitepress/theme";
import MermaidDiagram from "./mermaid-diagram.js";

export default {
  extends: Theme,
  enhanceApp: ({ app }) => app.component("MermaidDiagram", MermaidDiagram),
};
