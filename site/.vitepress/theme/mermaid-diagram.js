import scriptAddress from "mermaid/dist/mermaid.min.js?url";
import { useData } from "vitepress";
import { defineComponent, h, onMounted, ref, useId, watch } from "vue";

let loading;

/** The whole library as one script of the site: bundling it again takes most of the time of a build. */
function loadMermaid() {
  loading ??= new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { src: scriptAddress });
    script.onload = () => resolve(globalThis.mermaid);
    script.onerror = () => reject(new Error(`cannot load ${scriptAddress}`));
    document.head.append(script);
  });
  return loading;
}

/** A diagram in the colours of the page. Its source is shown until it is drawn, and where there are no scripts. */
export default defineComponent({
  props: { source: { type: String, required: true } },
  setup({ source }) {
    const text = decodeURIComponent(source);
    const id = `diagram-${useId().replaceAll(/\W/gu, "")}`;
    const picture = ref("");
    const { isDark } = useData();
    async function draw() {
      const mermaid = await loadMermaid();
      mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: isDark.value ? "dark" : "default" });
      picture.value = (await mermaid.render(id, text)).svg;
    }
    onMounted(draw);
    watch(isDark, draw);
    return () => (picture.value === "" ? h("pre", text) : h("div", { class: "diagram", innerHTML: picture.value }));
  },
});
