"""The HTML pages in headless Chromium, wide and light, narrow and dark: no console error, nothing loaded, no text of a plot cut off, over another,
too small or too faint to read."""

import os
import re
import shutil
import struct
import subprocess
import zlib

import programs
import reports

WIDE, NARROW, HEIGHT = 1000, 390, 3000
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# What the page's own policy forbids stands in a copy of it: a script that looks at every plot and writes what is wrong into the page.
LOOK = """<script>
const wrong = [], parts = [...document.querySelectorAll("details")];
parts.forEach(part => {
  const was = part.open;
  part.querySelector("summary").click();
  if (part.open === was) wrong.push("not folded: " + part.textContent.trim().slice(0, 60));
  part.open = false;
});
dispatchEvent(new Event("beforeprint"));
if (parts.some(part => !part.open)) wrong.push("folded on paper");
parts.forEach(part => { part.open = true; });
const light = colour => {
  const [red, green, blue] = colour.match(/[\\d.]+/g).map(c => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const paper = light(getComputedStyle(document.body).backgroundColor);
document.querySelectorAll("svg").forEach(svg => {
  const view = svg.viewBox.baseVal, boxes = [];
  svg.querySelectorAll("text").forEach(text => {
    const box = text.getBBox(), words = text.textContent;
    if (box.x < view.x - 1 || box.y < view.y - 1 || box.x + box.width > view.width + 1 || box.y + box.height > view.height + 1)
      wrong.push("cut off: " + words);
    const style = getComputedStyle(text), ink = light(style.fill);
    if (parseFloat(style.fontSize) * svg.clientWidth / view.width < 9) wrong.push("too small: " + words);
    if (!text.hasAttribute("fill") && !text.closest("g[fill]") && (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05) < 4.5)
      wrong.push("too faint: " + words);
    boxes.forEach(([other, over]) => {
      const wide = Math.min(box.x + box.width, other.x + other.width) - Math.max(box.x, other.x);
      const high = Math.min(box.y + box.height, other.y + other.height) - Math.max(box.y, other.y);
      if (wide > 2 && high > 4) wrong.push("over one another: " + words + " | " + over);
    });
    boxes.push([box, words]);
  });
});
document.querySelectorAll("table.free").forEach(table => {
  const rows = table.tBodies[0].rows, count = rows.length, label = table.parentNode.previousElementSibling;
  if (count < 2) return;
  const inOrder = (column, order) => rows.length === count && [...rows].every((row, i) => i === 0 || order(rows[i - 1].cells[column], row.cells[column]) <= 0);
  const press = (column, figures) => {
    const head = table.tHead.rows[0].cells[column], button = head.querySelector("button"), first = figures ? "descending" : "ascending";
    const up = (a, b) => figures ? (value(a) === value(b) ? 0 : value(a) - value(b)) : a.textContent.localeCompare(b.textContent);
    const said = [button && (button.click(), head.ariaSort), inOrder(column, figures ? (a, b) => up(b, a) : up),
                  button && (button.click(), head.ariaSort !== first), inOrder(column, figures ? up : (a, b) => up(b, a))];
    if (said[0] !== first || said.includes(false)) wrong.push("not sorted: " + head.textContent);
  };
  [...table.tHead.rows[0].cells].forEach((head, column) => { press(column, head.classList.contains("r")); });
  if (count < 8) return;
  const box = label && label.querySelector("input"), word = rows[3].cells[0].textContent.trim();
  const shown = text => {
    if (box) { box.value = text; box.dispatchEvent(new Event("input")); }
    return [...rows].filter(row => !row.hidden);
  };
  const found = shown(word.toUpperCase()), all = text => [...rows].filter(row => row.textContent.toLowerCase().includes(text.toLowerCase()));
  if (!found.length || found.length !== all(word).length || found.some(row => !row.textContent.includes(word)) ||
      shown("no row has this").length || shown("").length !== count) wrong.push("not searched: " + word);
});
document.querySelectorAll(".wide").forEach(table => {
  if (innerWidth > 600 && table.scrollWidth > table.clientWidth + 1) wrong.push("a table is wider than its page: " + table.textContent.trim().slice(0, 60));
});
if (document.documentElement.scrollWidth > window.innerWidth + 1) wrong.push("the page is wider than the window");
document.body.innerHTML = "<pre id=found>" + document.querySelectorAll("svg").length + "\\n" +
  wrong.join("\\n").replace(/&/g, "&amp;").replace(/</g, "&lt;") + "</pre>";
</script></body>"""


def browser():
    found = next((path for path in map(shutil.which, BROWSERS) if path), None)
    assert found, "no Chromium is installed: scripts/interop installs Debian's package chromium"
    return found


def chromium(profile, width, *words):
    """(what it printed, what its pages said to the console); the narrow window is a dark one."""
    done = subprocess.run([browser(), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--hide-scrollbars",
                           "--enable-logging=stderr", "--v=0", f"--window-size={width},{HEIGHT}",
                           f"--blink-settings=preferredColorScheme={0 if width == NARROW else 1}", *words],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=120)
    return done.stdout, [line for line in done.stderr.splitlines() if ":CONSOLE" in line]


def colours(path):
    """How many colours a PNG of 8 bits a channel has: one means that nothing was drawn."""
    with open(path, "rb") as file:
        data = file.read()
    width, height, depth, kind = struct.unpack_from(">IIBB", data, 16)
    assert depth == 8 and kind in (2, 6), f"{path}: a PNG of another kind"
    body, at = b"", 8
    while at < len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        body += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += 12 + length
    pixel, raw, seen = 3 if kind == 2 else 4, zlib.decompress(body), set()
    stride = width * pixel + 1
    for y in range(height):  # bytes as filtered: enough to tell a drawing from a blank
        seen.update(raw[y * stride + 1:(y + 1) * stride])
    return len(seen)


def check_page(path, out, profile):
    """How many plots; fails on anything that a reader would see go wrong."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    return max(look(path, page, out, profile, width) for width in (WIDE, NARROW))


def look(path, page, out, profile, width):
    shot = os.path.join(out, "page.png")
    _, said = chromium(profile, width, f"--screenshot={shot}", "file://" + path)
    assert not said, f"{path}: the console says {said[0]}"
    assert colours(shot) > 16, f"{path}: the screenshot is empty"
    copy = os.path.join(out, "looked-at.html")
    with open(copy, "w", encoding="utf-8") as file:
        file.write(re.sub(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "", page).replace("</body>", LOOK))
    printed, _ = chromium(profile, width, "--dump-dom", "file://" + copy)
    found = re.search(r'<pre id="found">(\d+)\n(.*?)</pre>', printed, re.S)
    assert found, f"{path}: the page could not be looked at"
    assert not found[2].strip(), f"{path}, {width} wide: {found[2].strip().splitlines()[0]} ({len(found[2].strip().splitlines())} such)"
    assert int(found[1]) == page.count("<svg"), f"{path}: a plot is missing"
    return int(found[1])


# A table whose figures are sorted, and a box that searches nothing.
SORTED = """<script>const value = cell => Number(cell.textContent);
const turn = button => {
  const body = document.querySelector("tbody"), head = button.parentNode, turns = head.ariaSort === "descending";
  if (turns) body.append(...[...body.rows].reverse());
  head.ariaSort = turns ? "ascending" : "descending";
};</script><label><input></label><div><table class="free"><thead><tr><th class="r"><button onclick="turn(this)">n</button></th></tr></thead><tbody>"""
UNSORTED = SORTED.replace("body.append", "Array.of")

# What must be found, or nothing that passes means anything.
WRONG_PAGES = {
    "the console says": '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'"><img src="x.png">',
    "cut off: far": '<svg viewBox="0 0 100 20"><text x="90" y="15">far</text></svg>',
    "a table is wider": '<div class="wide" style="overflow-x:auto"><table><tr><td style="white-space:nowrap">' + "w" * 900 + "</td></tr></table></div>",
    "too small: tiny": '<svg viewBox="0 0 4000 200"><text x="50" y="90">tiny</text></svg>',
    "too faint: pale": '<svg viewBox="0 0 100 20"><text x="5" y="15" style="fill:#ccc">pale</text></svg>',
    "not sorted: n": UNSORTED + "<tr><td>2</td></tr><tr><td>1</td></tr></tbody></table></div>",
    "not searched: 4": SORTED + "".join(f"<tr><td>{i}</td></tr>" for i in range(9, 0, -1)) + "</tbody></table></div>",
    "not folded: a": '<details><summary onclick="return false">a</summary>b</details>',
    "folded on paper": "<details><summary>a</summary>b</details>",
    "over one another: b | a": '<svg viewBox="0 0 100 20"><text x="5" y="15">a</text><text x="7" y="15">b</text></svg>',
}


def check_that_wrong_pages_are_found(out, profile):
    colourful = "".join(f'<p style="background:#{i:x}{i:x}{16 - i:x}">{i}</p>' for i in range(1, 16))
    for words, body in WRONG_PAGES.items():
        path = os.path.join(out, "wrong.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"<!doctype html><html><body style=\"background:#fff\">{body}{colourful}</body></html>")
        try:
            check_page(path, out, profile)
        except AssertionError as found:
            assert words in str(found), f"a page with something wrong gives {found} instead of {words}"
        else:
            raise AssertionError(f"nobody notices: {words}")


def check(lab):
    out, pages, plots = os.path.join(lab.out, "pages"), 0, 0
    profile = os.path.join(out, "profile")
    os.makedirs(out)
    check_that_wrong_pages_are_found(out, profile)
    for name, words in lab.once("reports", reports.make).items():
        folder = os.path.join(out, name)
        programs.sme2lab("report", *words, "--format", "html", "-o", folder)
        for file in sorted(os.listdir(folder)):
            if file.endswith(".html"):
                plots += check_page(os.path.join(folder, file), folder, profile)
                pages += 1
    lab.say(f"{pages} pages with {plots} plots: no word on the console, nothing cut off or on top of another, no table too wide")
