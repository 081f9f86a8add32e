import type { Page } from "playwright-core";

/** How two pictures differ. */
export interface PictureDifference {
  /** Both have the same width and height. */
  readonly isSameSize: boolean;
  /** Share of pixels, from 0 to 1, of which a colour differs by more than {@link noticedStep}; 1 where sizes differ. */
  readonly share: number;
}

/** A step of a colour (0 to 255) that is not seen: edges of letters are drawn a little differently each time. */
const noticedStep = 48;

/** Compares two PNG files; the browser that draws the page reads them. */
export async function comparePictures(page: Page, before: Buffer, after: Buffer): Promise<PictureDifference> {
  return page.evaluate(
    async ({ texts, step }) => {
      const pixelsOf = async (base64: string): Promise<ImageData> => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
        if (context === null) throw new Error("no canvas");
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      };
      const [left, right] = await Promise.all([pixelsOf(texts[0]), pixelsOf(texts[1])]);
      if (left.width !== right.width || left.height !== right.height) return { isSameSize: false, share: 1 };
      let count = 0;
      for (let at = 0; at < left.data.length; at += 4) {
        const isSeen = [0, 1, 2].some(
          (part) => Math.abs((left.data[at + part] ?? 0) - (right.data[at + part] ?? 0)) > step,
        );
        if (isSeen) count += 1;
      }
      return { isSameSize: true, share: count / (left.width * left.height) };
    },
    { texts: [before.toString("base64"), after.toString("base64")] as const, step: noticedStep },
  );
}

/**
 * The widths of a text in the fonts of the page, in tenths of a pixel. Where they differ from those of the accepted pictures,
 * other fonts are installed, and each letter differs.
 */
export async function measureFonts(page: Page): Promise<readonly number[]> {
  return page.evaluate(() =>
    ["14px system-ui, sans-serif", "bold 14px system-ui, sans-serif", "12px ui-monospace, monospace"].map((font) => {
      const context = document.createElement("canvas").getContext("2d");
      if (context === null) throw new Error("no canvas");
      context.font = font;
      return Math.round(context.measureText("Rollcall: prod-eu-north-2, 23.6 GiB").width * 10);
    }),
  );
}
