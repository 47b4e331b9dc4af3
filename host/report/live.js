"use strict";
/* Reads the page again when the lab says that something changed, and puts in the parts that differ. A part that somebody
   searches or sorts stays as it is until they leave it. */
const PAUSE_MS = 1000;
let wanted = false, reading = false;

function isInUse(part) {
    return part.contains(document.activeElement) || [...part.querySelectorAll("input")].some(box => box.value !== "");
}

function putIn(part, fresh) {
    if (!fresh || fresh.outerHTML === part.told || isInUse(part))
        return;
    const told = fresh.outerHTML, open = [...part.querySelectorAll("details")].map(fold => fold.open);
    part.replaceWith(fresh);
    fresh.told = told;
    [...fresh.querySelectorAll("details")].forEach((fold, i) => { fold.open = open[i] ?? fold.open; });
    makeTables(fresh);
}

async function readAgain() {
    if (reading) {
        wanted = true;
        return;
    }
    reading = true;
    do {
        wanted = false;
        await new Promise(done => setTimeout(done, PAUSE_MS));
        const answer = await fetch(location.href).catch(() => null);
        if (answer && answer.ok) {
            const page = new DOMParser().parseFromString(await answer.text(), "text/html");
            for (const part of document.querySelectorAll("section[id], div.verdict"))
                putIn(part, part.id ? page.getElementById(part.id) : page.querySelector("div.verdict"));
        }
    } while (wanted);
    reading = false;
}

/* Goes on after the daemon was away: the lab may have changed meanwhile. */
async function listen() {
    for (;;) {
        const answer = await fetch("/api/v1/events").catch(() => null);
        const stream = answer && answer.ok ? answer.body.pipeThrough(new TextDecoderStream()).getReader() : null;
        for (let piece = null; stream && (piece = await stream.read().catch(() => null)) && !piece.done;) {
            if (piece.value.includes("event:"))
                readAgain();
        }
        await new Promise(done => setTimeout(done, 3 * PAUSE_MS));
        readAgain();
    }
}

listen();
