// Elements of a page, and canvases as fine as the screen.

// A new element with these properties, at the end of its parent
export function element(kind, parent, properties = {}) {
  const made = Object.assign(document.createElement(kind), properties);
  parent.append(made);
  return made;
}

// As many pixels as the screen has where the canvas is
export function fitPixels(canvas) {
  const size = { width: canvas.clientWidth, height: canvas.clientHeight };
  for (const [side, pixels] of Object.entries(size)) {
    const wanted = Math.round(pixels * devicePixelRatio);
    if (canvas[side] !== wanted) canvas[side] = wanted;
  }
  return size;
}

// {pen, width, height}: what draws on the emptied canvas, and its size in the pixels of a style sheet
export function freshPen(canvas) {
  const size = fitPixels(canvas);
  const pen = canvas.getContext("2d");
  pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  pen.clearRect(0, 0, size.width, size.height);
  return { pen, ...size };
}
