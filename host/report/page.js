"use strict";
/* Tables that can be sorted and searched; the page says all without it. */
const scales = {k: 1e3, M: 1e6, G: 1e9, ns: 1, us: 1e3, ms: 1e6, s: 1e9};

/* A cell that is no figure stands below all figures. */
function value(cell) {
    const parts = /^([-+\u2212]?)([\d,]*\.?\d+)\s*([a-zA-Z]*)/.exec(cell.textContent.trim());
    if (!parts)
        return -Infinity;
    return (parts[1] === "-" || parts[1] === "\u2212" ? -1 : 1) * Number(parts[2].replaceAll(",", "")) * (scales[parts[3]] || 1);
}

function sortBy(table, column) {
    const head = table.tHead.rows[0].cells[column];
    const figures = head.classList.contains("r");
    const down = figures ? head.ariaSort !== "descending" : head.ariaSort === "ascending";
    const order = (a, b) => {
        const [one, other] = [a.cells[column], b.cells[column]];
        return figures && value(one) !== value(other) ? value(one) - value(other) : one.textContent.localeCompare(other.textContent);
    };
    const rows = [...table.tBodies[0].rows].sort((a, b) => down ? order(b, a) : order(a, b));
    for (const other of table.tHead.rows[0].cells)
        other.removeAttribute("aria-sort");
    head.ariaSort = down ? "descending" : "ascending";
    table.tBodies[0].append(...rows);
}

function makeSortable(table) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
        const button = document.createElement("button");
        button.type = "button";
        button.title = "Sort";
        button.append(...head.childNodes);
        button.addEventListener("click", () => sortBy(table, column));
        head.append(button);
    });
}

function makeSearchable(table) {
    const rows = [...table.tBodies[0].rows];
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "search";
    label.append(`Search ${rows.length} rows `, box);
    box.addEventListener("input", () => {
        for (const row of rows)
            row.hidden = !row.textContent.toLowerCase().includes(box.value.toLowerCase());
    });
    table.parentNode.before(label);
}

function makeTables(part) {
    for (const table of part.querySelectorAll("table.free")) {
        if (table.tBodies[0].rows.length > 1)
            makeSortable(table);
        if (table.tBodies[0].rows.length > 7)
            makeSearchable(table);
    }
}

makeTables(document);
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(part => { part.open = true; }));
