-- What a database of that schema held.
insert into contact_message (id, received_at, name, email, message, state, attempts, next_attempt_at, failures, first_failure_at, last_error, sent_at, message_id, content_hash, idempotency_key, sent_before) values
  ('01a1fc24-7b5e-7429-abc4-659443c39f9d', 1795262400000, 'Ana Souza', 'ana@example.org', 'Our stock is never where it should be.', 'sent', 1, 1795262401000, 0, null, null, 1795262401500, '<01a1fc24-7b5e-7429-abc4-659443c39f9d@example.com>', 'seku8sS2ZjXgXyU9lBKdlQ2Duy1Zhz2Q2VvZ4OKptig', null, 0),
  ('01a1fc24-7b67-7268-b9ea-c6a0cd30826b', 1795262400001, '山田 👩🏽‍🔧', 'yamada@example.org', 'Žluťoučký

 محمد', 'waiting', 1, 1795262410006, 1, 1795262400006, 'retry smtp-451', null, '<01a1fc24-7b67-7268-b9ea-c6a0cd30826b@example.com>', '1pGGk0I88cbKgJ5falMzidsqXujz6WOgFxwd_Ysapbo', 'arnx6499M4j0-dWG9m6Z_VQIDfLERvDlhmiwnAihbdA', 1),
  ('01a1fc24-7b68-725b-9f9a-8894674035b4', 1795262400002, 'Refused', 'refused@example.org', 'Set aside', 'set_aside', 1, 1795262401007, 1, null, 'refused smtp-550', null, '<01a1fc24-7b68-725b-9f9a-8894674035b4@example.com>', 'a6pFC5A8W3slJVT1eZDPnztAz-yt_hYuTZZQiCUnCCI', null, 2),
  ('01a1fc24-7b68-7cfa-9870-9f57db01c715', 1795262400003, 'Bot', 'bot@example.org', 'Buy!', 'spam', 0, 1795262400003, 0, null, null, null, '<01a1fc24-7b68-7cfa-9870-9f57db01c715@example.com>', 'xbxmcGy9vUTBpiyc1f3lQ0d3Bsx_bNYxTN_N_5GUCFc', null, 3);
insert into daily_count (day, what, count) values ('2026-11-21', 'visit', 40), ('2026-11-21', 'message', 3);
insert into last_done (what, at) values ('digest', 1795262400000);
