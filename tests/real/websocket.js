// A WebSocket server and its clients, Debian's node-ws: the library that most applications use. The server echoes;
// the clients go through ticketgate. Usage: websocket.js server PORT | client URL (prints one line a check).
'use strict';
const crypto = require('crypto');
const http = require('http');
const { WebSocket, WebSocketServer } = require('ws');

function serve(port) {
  const server = http.createServer((request, response) => response.end('plain'));
  const sockets = new WebSocketServer({ server, perMessageDeflate: true });
  sockets.on('connection', (socket, request) => {
    socket.on('message', (text, binary) => socket.send(text, { binary }));
    socket.on('close', (code) => console.log(`server saw close ${code}`));
    socket.send(JSON.stringify({ id: request.headers['x-request-id'], url: request.url }));
  });
  server.listen(port, '127.0.0.1');
}

const next = (socket, event) => new Promise((resolve, reject) => {
  socket.once(event, (...values) => resolve(values));
  socket.once('error', reject);
});

async function open(url) {
  const socket = new WebSocket(url);
  const greeting = next(socket, 'message');
  await next(socket, 'open');
  return [socket, JSON.parse((await greeting)[0])];
}

async function echo(socket, message) {
  const answer = next(socket, 'message');
  socket.send(message);
  const [got, binary] = await answer;
  return Buffer.compare(Buffer.from(message), got) === 0 && binary === Buffer.isBuffer(message);
}

function plain(url) {
  return new Promise((resolve, reject) => {
    http.get(url.replace(/^ws/, 'http'), (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    }).on('error', reject);
  });
}

async function visit(url) {
  const check = (what, kept) => {
    console.log(`${kept ? 'ok' : 'FAILED'} ${what}`);
    if (!kept) process.exitCode = 1;
  };
  const [socket, greeting] = await open(url);
  check('the backend got an id', Boolean(greeting.id));
  check('text comes back', await echo(socket, 'grüße'));
  check('3 MB of bytes come back', await echo(socket, crypto.randomBytes(3e6)));
  check('an empty message comes back', await echo(socket, ''));
  const pong = next(socket, 'pong');
  socket.ping();
  check('a ping is answered', Boolean(await pong));
  check('a request of the same queue runs beside it', await plain(url) === 200);
  const [second] = await open(url);
  check('a second one runs beside it', await echo(second, 'two') && await echo(socket, 'one'));
  second.terminate();
  const closed = next(socket, 'close');
  socket.close(4001, 'done');
  check('the closing handshake goes through', (await closed)[0] === 4001);
  check('the queue goes on', await plain(url) === 200);
}

const [role, where] = process.argv.slice(2);
if (role === 'server') serve(Number(where));
else visit(where).catch((error) => { console.log(`FAILED ${error.message}`); process.exit(1); });
