struct stream;
struct methods { int (*read)(struct stream *, int); void (*close)(struct stream *); };
struct stream { const struct methods *methods; int read; };
int read(struct stream *stream, int count) {
  if (stream->read) { stream->methods->close(stream); }
  return (*stream->methods->read)(stream, count) + stream->methods->read(stream, count);
}
