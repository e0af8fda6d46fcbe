# The command with a Java of its own, from these sources: docker build -t millrace:0.1.0-SNAPSHOT .
# docs/installing.md says what of this was checked.
FROM eclipse-temurin:25-jdk AS build
RUN apt-get update && apt-get install -y --no-install-recommends maven && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN deploy/image /image && mkdir /opt/millrace && tar -C /opt/millrace --strip-components=1 -xzf /image/*.tar.gz

FROM debian:stable-slim
# fuse3: for millrace mount by a user who is not root.
RUN apt-get update && apt-get install -y --no-install-recommends fuse3 && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 1000 --create-home millrace && mkdir /data /keys && chown millrace /data /keys
COPY --from=build /opt/millrace /opt/millrace
ENV PATH=/opt/millrace/bin:$PATH MILLRACE_AOT=/opt/millrace/app/millrace.aot
# Containers begin with nothing in ~/.cache, so what makes starts quick belongs to the image.
RUN millrace --version
USER millrace
WORKDIR /data
ENTRYPOINT ["millrace"]
CMD ["--help"]
