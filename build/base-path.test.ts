import { expect, test } from 'vitest';
import { below } from './base-path.ts';

test('addresses at the root of the host move below the path, all others stay', () => {
  const html = `<link href="/assets/a.css"><img src="/assets/a.png" srcset="/assets/a-1.avif 400w, /assets/a-2.avif 800w">
<style>@font-face{src:url(/assets/a.woff2)}i{background:url("/assets/b.svg")}</style>
<a href="#top">Top</a><a href="/">Home</a><a href="//cdn.example/x">x</a><a href="https://a.example/">a</a>
<form action="/operations/functions/v1/send"></form>`;
  expect(
    below('/operations', html),
  ).toBe(`<link href="/operations/assets/a.css"><img src="/operations/assets/a.png" srcset="/operations/assets/a-1.avif 400w, /operations/assets/a-2.avif 800w">
<style>@font-face{src:url(/operations/assets/a.woff2)}i{background:url("/operations/assets/b.svg")}</style>
<a href="#top">Top</a><a href="/operations/">Home</a><a href="//cdn.example/x">x</a><a href="https://a.example/">a</a>
<form action="/operations/functions/v1/send"></form>`);
  expect(below('', html)).toBe(html);
});
