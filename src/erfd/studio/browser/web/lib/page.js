// What a component has to do with the page around it: its size, light or dark, a picture to keep.

// Calls `resized` when the element's size changes and `painted` when the page turns light or dark;
// gives the function that ends it
export function onPageChange(element, resized, painted) {
  const size = new ResizeObserver(resized);
  size.observe(element);
  const dark = new MutationObserver(painted);
  dark.observe(document.body, { attributes: true, attributeFilter: ["class"] });
  return () => {
    size.disconnect();
    dark.disconnect();
  };
}

export const isDark = () => document.body.classList.contains("body--dark");

export function saveFile(href, download = "") {
  Object.assign(document.createElement("a"), { href, download }).click();
}

export function savePicture(canvas, name) {
  canvas.toBlob((blob) => {
    const address = URL.createObjectURL(blob);
    saveFile(address, `${name}.png`);
    setTimeout(() => URL.revokeObjectURL(address), 10000); // once it is surely read
  });
}
